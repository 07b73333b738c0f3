// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// Numbers in the reasons of a search. Internal to core/workbench/search.

#include <initializer_list>
#include <string>

namespace headlight {

/// `value` with three digits after the point, or with as many more as each bound has and as it
/// takes for the text to lie on the same side of every bound as the value: 0.6502 against 0.65.
std::string comparedText(double value, std::initializer_list<double> bounds);

}  // namespace headlight
