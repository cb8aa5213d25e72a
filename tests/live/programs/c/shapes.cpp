// Names as C++ has them: templates, operators, lambdas, inlined headers, virtual calls, exceptions.
#include <algorithm>
#include <cstdio>
#include <map>
#include <memory>
#include <stdexcept>
#include <string>
#include <vector>

namespace plane {

struct Shape {
    virtual ~Shape() = default;
    virtual double area() const = 0;
};

template <typename Number>
struct Box : Shape {
    Number width, height;
    Box(Number w, Number h) : width(w), height(h) {}
    double area() const override { return static_cast<double>(width * height); }
    bool operator==(const Box &other) const { return width == other.width && height == other.height; }
};

struct Circle : Shape {
    double radius;
    explicit Circle(double r) : radius(r)
    {
        if (r < 0)
            throw std::invalid_argument("negative radius");
    }
    double area() const override { return 3 * radius * radius; }
};

} // namespace plane

static std::map<std::string, int> count_words(int rounds)
{
    std::map<std::string, int> words;
    for (int i = 0; i < rounds; i++)
        words["word" + std::to_string(i % 17)] += i;
    return words;
}

static int count_failures(int rounds)
{
    int failures = 0;
    for (int i = 0; i < rounds; i++) {
        try {
            plane::Circle circle(i % 2 ? 1.0 : -1.0);
        } catch (const std::invalid_argument &) {
            failures++;
        }
    }
    return failures;
}

static double total_area(const std::vector<std::unique_ptr<plane::Shape>> &shapes)
{
    double total = 0;
    std::for_each(shapes.begin(), shapes.end(), [&total](const auto &shape) { total += shape->area(); });
    return total;
}

int main()
{
    std::vector<std::unique_ptr<plane::Shape>> shapes;
    for (int i = 0; i < 200; i++) {
        if (i % 3 == 0)
            shapes.push_back(std::make_unique<plane::Circle>(i));
        else
            shapes.push_back(std::make_unique<plane::Box<int>>(i, i + 1));
    }
    bool same = plane::Box<long>(1, 2) == plane::Box<long>(1, 2);
    std::printf("%f %zu %d %d\n", total_area(shapes), count_words(300).size(), count_failures(6), same);
}
