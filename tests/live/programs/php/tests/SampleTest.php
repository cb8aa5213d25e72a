<?php

use PHPUnit\Framework\TestCase;

final class SampleTest extends TestCase
{
    /** @dataProvider rows */
    public function testRows(int $row, int $expected): void
    {
        $this->assertSame($expected, 2 * $row);
    }

    public static function rows(): array
    {
        return array_map(fn (int $row): array => [$row, 2 * $row], range(0, 20));
    }

    public function testException(): void
    {
        $this->expectException(RuntimeException::class);
        throw new RuntimeException('expected');
    }

    public function testMock(): void
    {
        $mock = $this->createMock(Countable::class);
        $mock->method('count')->willReturn(3);
        $this->assertCount(3, $mock);
    }

    public function testFailure(): void
    {
        $this->assertSame(1, 2);
    }

    public function testSkipped(): void
    {
        $this->markTestSkipped('on purpose');
    }
}
