// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/data/LabeledFiles.h"

#include "core/data/files/SampleErrors.h"

namespace headlight {

std::string LabeledFiles::stamp() const {
  std::vector<std::string> names;
  for (const File& file : m_files)
    names.push_back(file.name);
  return m_place->stamp(m_folder, names);
}

Result<std::string> LabeledFiles::bytes(std::int64_t index) const {
  if (index < 0 || index >= size()) return noSample(index, m_place->root().string());
  return m_place->read(m_files[index].name, kMaxImageBytes);
}

Result<Sample> LabeledFiles::sample(std::int64_t index) const {
  const auto file = bytes(index);
  if (!file) return file.error();
  auto image = decodeImage(*file, describe(index));
  if (!image) return image.error();
  return Sample{std::move(image).value(), m_files[index].label};
}

Result<SamplePart> LabeledFiles::part(std::int64_t index, const ChoosePart& choose) const {
  const auto file = bytes(index);
  if (!file) return file.error();
  auto image = decodeImagePart(*file, describe(index), choose);
  if (!image) return image.error();
  return SamplePart{std::move(image).value(), m_files[index].label};
}

}  // namespace headlight
