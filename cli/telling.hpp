// Solutions and certificates in words, for standard error.
#pragma once

#include "humpty/humpty.hpp"
#include "terminal.hpp"

namespace humpty::cli {

void tell(const Certificate& certificate, Terminal& terminal);
void tell(const Solution& solution, Terminal& terminal);
void tell(const Salvaged& salvaged, Terminal& terminal);

}  // namespace humpty::cli
