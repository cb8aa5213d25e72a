"""Methods, recursion, generators, comprehensions and built-in functions to be profiled."""


class Table:
    def __init__(self, rows):
        self.rows = rows

    def total(self):
        return sum(self.price(row) for row in self.rows)

    def price(self, row):
        return len(row) * 3

    def ordered(self):
        return sorted(self.rows, key=lambda row: (len(row), row))


def fibonacci(n):
    return n if n < 2 else fibonacci(n - 1) + fibonacci(n - 2)


def is_even(n):
    return n == 0 or is_odd(n - 1)


def is_odd(n):
    return n > 0 and is_even(n - 1)


def words(count):
    for i in range(count):
        yield "word%d" % (i * 7919 % 101)


def main():
    table = Table(list(words(200)))
    for _ in range(5):
        table.total()
    table.ordered()
    fibonacci(12)
    is_even(30)
