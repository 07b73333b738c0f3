// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/workbench/loading/StartingHead.h"

#include <ATen/ATen.h>

#include <algorithm>
#include <array>

#include "core/workbench/classes/ClassMatch.h"
#include "core/workbench/classes/NameIndex.h"
#include "core/workbench/loading/Weights.h"

namespace headlight {
namespace {

/// The classifiers of all backbones, under timm's names: their rows are classes.
bool isOfHead(const std::string& name) {
  static const std::array<std::string, 10> names{
      "head.weight",          "head.bias",        "head_dist.weight",
      "head_dist.bias",       "head.fc.weight",   "head.fc.bias",
      "head.linear.weight",   "head.linear.bias", "head_dist.linear.weight",
      "head_dist.linear.bias"};
  return std::find(names.begin(), names.end(), name) != names.end();
}

/// −1: there is none.
std::int64_t rowsOfHead(const Checkpoint& checkpoint) {
  for (const auto& [name, tensor] : checkpoint.tensors)
    if (isOfHead(name) && tensor.dim() > 0) return tensor.size(0);
  return -1;
}

/// Its own names, or ImageNet-1k's where it has as many classes and none of its own.
ModelClasses classesOfHead(const Checkpoint& checkpoint, const std::filesystem::path& path,
                           std::int64_t rows) {
  ModelClasses classes;
  classes.count = static_cast<int>(rows);
  KnownClasses own = findClasses(checkpoint, path);
  if (own.names.size() == static_cast<std::size_t>(rows)) {
    classes.names = std::move(own.names);
    classes.keys = std::move(own.keys);
    classes.from = ClassNamesFrom::Model;
  } else if (rows == static_cast<std::int64_t>(imagenetNames().size())) {
    classes.names = imagenetNames();
    classes.keys = imagenetSynsets();
    classes.from = ClassNamesFrom::ImageNet;
  }
  return classes;
}

void orderRows(Checkpoint& checkpoint, const std::vector<std::int64_t>& order) {
  const at::Tensor rows = at::tensor(at::ArrayRef<std::int64_t>(order), at::kLong);
  for (auto& [name, tensor] : checkpoint.tensors)
    if (isOfHead(name) && tensor.dim() > 0 &&
        tensor.size(0) == static_cast<std::int64_t>(order.size()))
      tensor = tensor.index_select(0, rows);
}

/// The row of each class in the checkpoint's head; −1: it has none.
std::vector<std::int64_t> knownRows(const std::vector<std::string>& classes,
                                    const ModelClasses& known) {
  const NameIndex index(known.names, known.keys);
  std::vector<std::int64_t> rows;
  for (const std::string& name : classes) {
    const auto found = index.empty() ? std::vector<int>() : index.find(name);
    rows.push_back(found.size() == 1 ? found.front() : -1);
  }
  return rows;
}

/// A new head's tensor with the rows that are known.
at::Tensor withKnownRows(const at::Tensor& own, const at::Tensor& known,
                         const std::vector<std::int64_t>& rows) {
  at::Tensor head = own.detach().to(at::kCPU, at::kFloat, /*non_blocking=*/false, /*copy=*/true);
  for (std::size_t i = 0; i < rows.size(); ++i)
    if (rows[i] >= 0) head.select(0, static_cast<std::int64_t>(i)).copy_(known.select(0, rows[i]));
  return head;
}

}  // namespace

std::string keepClasses(Checkpoint& checkpoint, const std::filesystem::path& path,
                        const std::vector<std::string>& classes, const NamedTensors& model) {
  const std::int64_t count = rowsOfHead(checkpoint);
  if (count < 0) return {};
  const auto rows = knownRows(classes, classesOfHead(checkpoint, path, count));
  const auto kept =
      std::count_if(rows.begin(), rows.end(), [](std::int64_t row) { return row >= 0; });
  const bool same = kept == static_cast<std::int64_t>(classes.size()) &&
                    count == static_cast<std::int64_t>(classes.size());
  if (kept == 0 || same) return {};
  for (auto& [name, tensor] : checkpoint.tensors)
    for (const auto& [own, value] : model)
      if (own == name && isOfHead(name) && tensor.size(0) == count &&
          tensor.sizes().slice(1) == value.sizes().slice(1))
        tensor = withKnownRows(value, tensor, rows);
  return "a new head is trained, which keeps " + std::to_string(kept) + " of its " +
         std::to_string(classes.size()) + " classes from theirs, by name";
}

std::string fitHead(Checkpoint& checkpoint, const std::filesystem::path& path,
                    const std::vector<std::string>& classes) {
  const std::int64_t rows = rowsOfHead(checkpoint);
  if (rows != static_cast<std::int64_t>(classes.size())) return {};
  const auto match = matchClasses(classes, classesOfHead(checkpoint, path, rows));
  if (!match) {
    std::erase_if(checkpoint.tensors, [](const auto& tensor) { return isOfHead(tensor.first); });
    const std::string& why = match.error().message;
    return "a new head is trained: " + why.substr(0, why.find(';'));
  }
  if (match->by == ClassMatch::By::Number) return "their head is used " + match->text;
  if (match->order.empty() || std::is_sorted(match->order.begin(), match->order.end())) return {};
  orderRows(checkpoint, match->order);
  return "the rows of their head are reordered to the data's classes, by name";
}

}  // namespace headlight
