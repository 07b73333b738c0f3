// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/attention/kernels/heads/SetTensors.h"

#include <ATen/ATen.h>

#include <algorithm>
#include <map>
#include <mutex>
#include <string>
#include <utility>

namespace headlight {
namespace {

/// What was made of a set for a device, until the set goes.
template <typename Tensors>
class SetCache {
 public:
  template <typename Make>
  Tensors get(const std::shared_ptr<const SelectedSets>& sets, const at::Device& device,
              Make make) {
    const std::lock_guard lock(m_mutex);
    const std::pair key(sets.get(), device.str());
    const auto found = m_entries.find(key);
    // Another set may lie where one that is gone lay.
    if (found != m_entries.end() && found->second.sets.lock() == sets) return found->second.tensors;
    std::erase_if(m_entries, [](const auto& entry) { return entry.second.sets.expired(); });
    return m_entries.insert_or_assign(key, Entry{sets, make(*sets, device)}).first->second.tensors;
  }

 private:
  struct Entry {
    std::weak_ptr<const SelectedSets> sets;
    Tensors tensors;
  };
  std::mutex m_mutex;
  std::map<std::pair<const SelectedSets*, std::string>, Entry> m_entries;
};

PaddedSets padded(const SelectedSets& sets, const at::Device& device) {
  const std::int64_t rows = sets.tokens - sets.prefix;
  const auto countOf = [&](std::int64_t row) {
    return sets.rowStart[sets.prefix + row + 1] - sets.rowStart[sets.prefix + row];
  };
  std::int64_t longest = 1;
  for (std::int64_t row = 0; row < rows; ++row)
    longest = std::max<std::int64_t>(longest, countOf(row));
  PaddedSets result{at::zeros({rows, longest}, at::kLong), at::zeros({rows, longest}, at::kBool),
                    at::zeros({rows, 1}, at::kLong)};
  auto* columns = result.columns.data_ptr<std::int64_t>();
  auto* present = result.present.data_ptr<bool>();
  auto* counts = result.counts.data_ptr<std::int64_t>();
  for (std::int64_t row = 0; row < rows; ++row) {
    counts[row] = countOf(row);
    const auto begin = sets.columns.begin() + sets.rowStart[sets.prefix + row];
    std::copy_n(begin, counts[row], columns + row * longest);
    std::fill_n(present + row * longest, counts[row], true);
  }
  return {result.columns.to(device), result.present.to(device), result.counts.to(device)};
}

CompressedSets compressed(const SelectedSets& sets, const at::Device& device) {
  const auto tensorOf = [&](const std::vector<std::int32_t>& values) {
    return at::tensor(at::ArrayRef<std::int32_t>(values), at::kInt).to(device);
  };
  return {tensorOf(sets.rowStart), tensorOf(sets.columns), tensorOf(sets.columnStart),
          tensorOf(sets.rows), tensorOf(sets.positions)};
}

}  // namespace

// Neither cache is ever destroyed: when a program ends, CUDA may be gone before its tensors.
PaddedSets paddedSets(const std::shared_ptr<const SelectedSets>& sets, const at::Device& device) {
  static auto& cache = *new SetCache<PaddedSets>;
  return cache.get(sets, device, padded);
}

CompressedSets compressedSets(const std::shared_ptr<const SelectedSets>& sets,
                              const at::Device& device) {
  static auto& cache = *new SetCache<CompressedSets>;
  return cache.get(sets, device, compressed);
}

}  // namespace headlight
