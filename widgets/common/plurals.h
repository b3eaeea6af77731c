#pragma once

namespace holo::widgets {

// Makes "%n run(s)" read "1 run" or "2 runs" where no translation is loaded. Once an application.
void installPlurals();

}  // namespace holo::widgets
