// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// The names of classes in timm's config.json. Internal to core/workbench.

#include <string>

#include "core/workbench/loading/HubConfig.h"

namespace headlight {

/// `pretrained_cfg`, or all of it, as timm wrote one object once of what is in two now.
const Json& readPretrained(const Json& json);

/// Fills in names and keys of hub.experiment.model.classes classes by `label_names` (once `labels`)
/// and `label_descriptions`. Labels of another number, or in another form, are not used, and
/// hub.notes says so.
void applyLabels(const Json& json, HubModel& hub, const std::string& where);

}  // namespace headlight
