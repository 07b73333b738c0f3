// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// A model of one's own, for work that takes long: an open session stays free for others meanwhile,
// and what they do to it changes nothing here. Torch types: core only.

#include "core/workbench/loading/LoadedModel.h"

namespace headlight {

class InferenceSession;

/// Weights, buffers, learned α and the session's description as they are now; the masks are those
/// of the call before this one, and are to be set. Throws Failure (not enough memory).
LoadedModel copyModel(InferenceSession& session);

}  // namespace headlight
