// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

namespace headlight {

/// Lets the window go first: the calling thread, and every thread that it starts, yields to it
/// where both want a core. Costs nothing where cores are free.
void runBehindTheWindow();

}  // namespace headlight
