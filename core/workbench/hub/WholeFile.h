// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// Whether a file is what the hub says of it. Internal.

#include <filesystem>
#include <functional>
#include <memory>
#include <stop_token>

#include "core/workbench/hub/Digest.h"
#include "core/workbench/hub/HubRequests.h"

namespace headlight {

/// The hash that is the file's ETag. Throws Failure.
std::unique_ptr<Digest> makeDigest(const HubFile& file);

/// Whether `path` leads, by links or not, to a regular file of that size and hash. One that cannot
/// be read is not whole. `told` before the bytes are read; a stop ends that (throws Failure,
/// Canceled).
bool isWholeFile(const std::filesystem::path& path, const HubFile& file,
                 const std::stop_token& stop, const std::function<void()>& reported = {});

}  // namespace headlight
