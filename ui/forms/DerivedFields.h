// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// What the choice of a backbone sets of the parameters that all backbones share: its own defaults,
// and what follows from its options (Variant in core/config/Catalog.h).

#include <string>
#include <vector>

#include "core/config/Parameter.h"

namespace headlight {

/// The names of those that follow from its options; nobody can choose them.
std::vector<std::string> derivedFields(const std::string& backbone);

/// Their values for the options `layout` (an object; options left out have their defaults). Empty
/// where none follow, or an option has no valid value.
Json derivedValues(const std::string& backbone, const Json& layout);

/// For somebody who chooses the backbone `to` in a form that shows `from`: sets in `model`, with
/// its shared parameters at the top level, what `to` brings along. What `from` had brought becomes
/// as it is in `before`, or its default; `before` then keeps what `to` replaced.
void changeBackbone(Json& model, Json& before, const std::string& from, const std::string& to);

}  // namespace headlight
