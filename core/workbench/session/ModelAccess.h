// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// The model inside a session, for core. Torch types: core only.

#include <functional>
#include <memory>

#include "core/models/backbones/Model.h"
#include "core/workbench/loading/LoadedModel.h"
#include "core/workbench/session/InferenceSession.h"

namespace headlight {

/// Runs `body` with the session's model while nobody else uses it (see RawTensors.h).
void withModel(InferenceSession& session, const std::function<void(Model&)>& body);

/// A session of a model that is there already, with its description.
std::unique_ptr<InferenceSession> makeSession(LoadedModel loaded);

}  // namespace headlight
