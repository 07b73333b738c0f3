// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// A model with the classifier that was fitted to its features: an ordinary one, to be looked
// through, trained, saved and exported. No torch type here.

#include <memory>
#include <optional>

#include "core/base/Result.h"
#include "core/config/TrainingConfig.h"
#include "core/masks/MaskScheme.h"
#include "core/workbench/adapt/LinearHead.h"
#include "core/workbench/session/InferenceSession.h"

namespace headlight {

/// The weights of `session` with `head` in place of its classifier, under `masks`. `data`: what it
/// was taught by, which a training goes on with and an evaluation takes its validation split from;
/// nothing: as the model says. Errors: a head that no model can have (whyHeadStaysApart), one of
/// another model (InvalidArgument), no memory.
Result<std::unique_ptr<InferenceSession>> withHead(InferenceSession& session,
                                                   const LinearHead& head, const MaskScheme& masks,
                                                   const std::optional<DataConfig>& data = {});

}  // namespace headlight
