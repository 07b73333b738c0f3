// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/workbench/session/DatasetImages.h"

#include <charconv>
#include <string_view>

#include "core/base/Translation.h"

namespace headlight {
namespace {

constexpr std::string_view kAddressPrefix = "dataset:";
constexpr int kSceneSide = 256, kSceneSeed = 1;  // trainings draw with the seed 0

}  // namespace

std::optional<DatasetAddress> datasetAddressFrom(const std::string& text) {
  if (!text.starts_with(kAddressPrefix)) return std::nullopt;
  const auto kind = text.find(':', kAddressPrefix.size());
  const auto number = kind == std::string::npos ? kind : text.find(':', kind + 1);
  if (number == std::string::npos || number + 1 == text.size()) return std::nullopt;
  DatasetAddress address{text.substr(kAddressPrefix.size(), kind - kAddressPrefix.size()),
                         text.substr(number + 1), -1};
  const char *begin = text.data() + kind + 1, *end = text.data() + number;
  const auto read = std::from_chars(begin, end, address.index);
  if (read.ec != std::errc() || read.ptr != end || address.index < 0) return std::nullopt;
  return address;
}

std::string toText(const DatasetAddress& address) {
  return std::string(kAddressPrefix) + address.kind + ":" + std::to_string(address.index) + ":" +
         address.folder;
}

DatasetSpec addressedSamples(const std::string& kind, const std::string& folder) {
  DatasetSpec spec;
  spec.kind = kind;
  spec.path = folder;
  spec.maxSamples = kAddressedSamples;
  if (!isDrawnData(kind)) return spec;
  spec.trainSamples = kAddressedScenes;
  spec.imageSize = kSceneSide;
  spec.seed = kSceneSeed;
  return spec;
}

Result<std::shared_ptr<const Dataset>> AddressedDatasets::open(const std::string& kind,
                                                               const std::string& folder) {
  const std::lock_guard lock(m_mutex);
  auto& known = m_datasets[{kind, folder}];
  if (known) return known;
  auto opened = openDataset(addressedSamples(kind, folder), Split::Train);
  if (!opened) return opened.error();
  known = std::move(*opened);
  return known;
}

Result<Sample> AddressedDatasets::sample(const DatasetAddress& address) {
  const auto dataset = open(address.kind, address.folder);
  if (!dataset) return dataset.error();
  if (address.index >= (*dataset)->size())
    return Error{ErrorCode::NotFound, tr("the dataset has no such sample"), toText(address)};
  return (*dataset)->sample(address.index);
}

}  // namespace headlight
