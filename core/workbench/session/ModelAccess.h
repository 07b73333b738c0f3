// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// The model inside a session, for core. Torch types: core only.

#include <functional>

#include "core/models/backbones/Model.h"
#include "core/workbench/session/InferenceSession.h"

namespace headlight {

/// Runs `body` with the session's model while nobody else uses it (see RawTensors.h).
void withModel(InferenceSession& session, const std::function<void(Model&)>& body);

}  // namespace headlight
