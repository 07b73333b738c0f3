// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// Samples of datasets as images with an address, "dataset:coco:12:/data/coco": kind, number and
// folder. Scenes that the program draws have "drawn" for a folder. No torch type here.

#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <utility>

#include "core/workbench/session/Datasets.h"

namespace headlight {

struct DatasetAddress {
  std::string kind, folder;
  int index = 0;
};
/// Nothing for what is no such address.
std::optional<DatasetAddress> datasetAddressFrom(const std::string& text);
std::string toText(const DatasetAddress& address);

inline constexpr int kAddressedScenes = 24;   ///< of what is drawn
inline constexpr int kAddressedSamples = 90;  ///< of what lies on disk

/// The samples that addresses count: at most so many of the training split, spread over all. What is
/// drawn is what no training begins with.
DatasetSpec addressedSamples(const std::string& kind, const std::string& folder);

/// Opens each dataset once. Safe to use from several threads.
class AddressedDatasets {
 public:
  /// Errors: those of opening and reading; NotFound for a sample that there is not.
  Result<Sample> sample(const DatasetAddress& address);
  Result<std::shared_ptr<const Dataset>> open(const std::string& kind, const std::string& folder);

 private:
  std::mutex m_mutex;
  std::map<std::pair<std::string, std::string>, std::shared_ptr<const Dataset>> m_datasets;
};

}  // namespace headlight
