// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/data/Subset.h"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "core/base/Random.h"
#include "core/data/files/SampleErrors.h"

namespace headlight {
namespace {

constexpr std::uint64_t kSplitPurpose = 0x73706c69;  // "spli"
constexpr std::uint64_t kLimitPurpose = 0x6c696d69;  // "limi"

/// Positions of each label, in the order given.
std::vector<std::vector<std::int64_t>> byClass(const std::vector<std::int64_t>& indices,
                                               const std::vector<int>& labels) {
  std::vector<std::vector<std::int64_t>> groups;
  for (const std::int64_t index : indices) {
    const auto label = static_cast<std::size_t>(labels.at(index));
    if (label >= groups.size()) groups.resize(label + 1);
    groups[label].push_back(index);
  }
  return groups;
}

/// The same, each class in a seeded order of its own.
std::vector<std::vector<std::int64_t>> shuffledByClass(const std::vector<std::int64_t>& indices,
                                                       const std::vector<int>& labels,
                                                       std::uint64_t seed) {
  auto groups = byClass(indices, labels);
  for (std::size_t label = 0; label < groups.size(); ++label) {
    std::vector<std::int64_t> shuffled;
    for (const std::int64_t i : permutation(static_cast<std::int64_t>(groups[label].size()),
                                            streamKey({seed, kLimitPurpose, label})))
      shuffled.push_back(groups[label][i]);
    groups[label] = std::move(shuffled);
  }
  return groups;
}

}  // namespace

std::vector<int> readLabels(const LabeledDataset& dataset) {
  std::vector<int> labels(static_cast<std::size_t>(dataset.size()));
  for (std::size_t i = 0; i < labels.size(); ++i)
    labels[i] = dataset.label(static_cast<std::int64_t>(i));
  return labels;
}

std::vector<std::int64_t> stratifiedSplit(const std::vector<int>& labels, double fraction,
                                          std::uint64_t seed, Split split) {
  std::vector<std::int64_t> all(labels.size());
  std::iota(all.begin(), all.end(), 0);
  std::vector<std::int64_t> chosen;
  std::uint64_t classNumber = 0;
  for (const auto& group : byClass(all, labels)) {
    const auto count = static_cast<std::int64_t>(group.size());
    const auto order = permutation(count, streamKey({seed, kSplitPurpose, classNumber++}));
    const auto wanted = static_cast<std::int64_t>(std::llround(fraction * double(count)));
    const std::int64_t held =
        fraction > 0 && count > 1 ? std::clamp<std::int64_t>(wanted, 1, count - 1) : 0;
    const std::int64_t begin = split == Split::Validation ? 0 : held;
    const std::int64_t end = split == Split::Validation ? held : count;
    for (std::int64_t i = begin; i < end; ++i)
      chosen.push_back(group[order[i]]);
  }
  std::sort(chosen.begin(), chosen.end());
  return chosen;
}

std::vector<std::int64_t> fractionOfSamples(const std::vector<std::int64_t>& indices,
                                            const std::vector<int>& labels, double fraction,
                                            std::uint64_t seed) {
  if (fraction >= 1) return indices;
  std::vector<std::int64_t> chosen;
  for (const auto& group : shuffledByClass(indices, labels, seed)) {
    const auto wanted = std::llround(fraction * static_cast<double>(group.size()));
    const auto count = std::min(group.size(), static_cast<std::size_t>(std::max(wanted, 1LL)));
    chosen.insert(chosen.end(), group.begin(), group.begin() + static_cast<std::ptrdiff_t>(count));
  }
  std::sort(chosen.begin(), chosen.end());
  return chosen;
}

std::vector<std::int64_t> limitedSamples(const std::vector<std::int64_t>& indices,
                                         const std::vector<int>& labels, std::int64_t maxSamples,
                                         std::uint64_t seed) {
  if (maxSamples <= 0 || maxSamples >= static_cast<std::int64_t>(indices.size())) return indices;
  const auto groups = shuffledByClass(indices, labels, seed);
  std::vector<std::int64_t> chosen;
  const auto wanted = static_cast<std::size_t>(maxSamples);
  for (std::size_t round = 0; chosen.size() < wanted; ++round)
    for (std::size_t label = 0; label < groups.size() && chosen.size() < wanted; ++label)
      if (round < groups[label].size()) chosen.push_back(groups[label][round]);
  std::sort(chosen.begin(), chosen.end());
  return chosen;
}

Result<Sample> SubsetDataset::sample(std::int64_t index) const {
  if (index < 0 || index >= size()) return noSample(index);
  return m_source->sample(m_indices[index]);
}

Result<SamplePart> SubsetDataset::part(std::int64_t index, const ChoosePart& choose) const {
  if (index < 0 || index >= size()) return noSample(index);
  return m_source->part(m_indices[index], choose);
}

std::vector<std::int64_t> SubsetDataset::shards() const {
  std::vector<std::int64_t> counts;
  std::int64_t end = 0;
  auto from = m_indices.begin();
  for (const std::int64_t length : m_source->shards()) {
    end += length;
    const auto to = std::lower_bound(from, m_indices.end(), end);
    counts.push_back(to - from);
    from = to;
  }
  return counts;
}

std::vector<std::string> SubsetDataset::notes() const {
  std::vector<std::string> notes = m_source->notes();
  notes.insert(notes.end(), m_notes.begin(), m_notes.end());
  return notes;
}

std::string SubsetDataset::describe(std::int64_t index) const {
  return m_source->describe(m_indices.at(index));
}

}  // namespace headlight
