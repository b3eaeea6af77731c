#include <cstdio>

#include "tests/gui/fixture_project.h"

// make_fixture DIR: the project that the window's tests use, to look at or to take pictures of.
int main(int argc, char** argv)
{
    if (argc != 2) {
        std::fputs("make_fixture DIR\n", stderr);
        return 2;
    }
    holo::test::FixtureProject fixture(QString::fromLocal8Bit(argv[1]));
    return 0;
}
