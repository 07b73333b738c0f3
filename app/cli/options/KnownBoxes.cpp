// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/cli/options/KnownBoxes.h"

namespace headlight::cli {

void KnownBoxes::open(const std::filesystem::path& data) {
  m_files = valueOrThrow(TrueBoxIndex::open(data));
}

std::shared_ptr<const TrueBoxes> KnownBoxes::of(const std::string& image) {
  if (const auto address = datasetAddressFrom(image)) return ofSample(*address);
  const auto truth = m_files ? m_files->of(image) : std::nullopt;
  return truth ? std::make_shared<const TrueBoxes>(*truth) : nullptr;
}

std::shared_ptr<const TrueBoxes> KnownBoxes::ofSample(const DatasetAddress& address) {
  const auto dataset = valueOrThrow(m_datasets.open(address.kind, address.folder));
  if (!dataset->hasBoxes()) return nullptr;
  Sample sample = valueOrThrow(m_datasets.sample(address));
  return std::make_shared<const TrueBoxes>(
      TrueBoxes{std::move(sample.boxes), dataset->classNames()});
}

}  // namespace headlight::cli
