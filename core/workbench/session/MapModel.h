// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// A file of maps in the shape of an opened model and of its results. No torch type here.

#include <filesystem>
#include <memory>
#include <optional>
#include <stop_token>
#include <string>
#include <utility>
#include <vector>

#include "core/workbench/loading/MapFile.h"
#include "core/workbench/session/InferenceSession.h"

namespace headlight {

/// A shape as wide and deep as the maps, of no parameters: what asks for weights is refused.
ModelInfo makeModelInfo(const MapFileInfo& maps);

/// The file of maps that `source` names, alone; nothing where it names anything else.
std::optional<std::filesystem::path> mapFileIn(const ModelSource& source);

/// What stands in for a model: the file, and which of its images are about.
class PrecomputedMaps {
 public:
  explicit PrecomputedMaps(MapFile file) : m_file(std::move(file)) {}

  const MapFileInfo& info() const { return m_file.info(); }
  /// InferenceSession::imageAt.
  Image imageAt(const std::string& address, const Image& otherwise);
  /// InferenceSession::infer; `weights`: InferenceResult::weights. Throws Failure, also for an
  /// image that imageAt() did not give.
  InferenceResult infer(const Image& image, const MaskScheme& masks, const ModelInfo& info,
                        std::uint64_t weights, const InferenceOptions& options,
                        std::stop_token stop) const;

 private:
  using Pixels = std::shared_ptr<const std::vector<std::uint8_t>>;
  int numberOf(const Image& image) const;

  MapFile m_file;
  std::vector<std::pair<std::weak_ptr<const Pixels::element_type>, int>> m_given;
};

}  // namespace headlight
