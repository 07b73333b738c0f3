// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// Taught models that nobody has saved yet, each an ordinary checkpoint in the program's own folder,
// so that a session finds its model again. No torch type here.

#include <cstdint>
#include <filesystem>

#include "core/base/Result.h"
#include "core/masks/MaskScheme.h"
#include "core/workbench/session/InferenceSession.h"

namespace headlight {

/// Bounds of the folder, beyond which the oldest leave: of them all, in bytes with the others.
inline constexpr std::size_t kMostKeptTaught = 8;
inline constexpr std::uintmax_t kMostKeptTaughtBytes = 4ull << 30;

/// Writes `taught` (of withHead, which no other thread has yet) into `folder`, which is made where
/// it is missing and is called kTaughtFolder, and describes it as opened from there. Before that
/// the oldest files beyond the bounds leave, but for `inUse` and for those that a session beside
/// the folder names (session*.json). On error the model is as it was. Errors: Io, no memory.
Result<void> keepTaught(InferenceSession& taught, const MaskScheme& masks,
                        const std::filesystem::path& folder,
                        const std::filesystem::path& inUse = {});

}  // namespace headlight
