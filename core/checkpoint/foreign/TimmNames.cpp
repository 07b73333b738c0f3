// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/checkpoint/foreign/TimmNames.h"

#include <ATen/ATen.h>

#include <algorithm>
#include <cmath>
#include <set>

#include "core/base/Translation.h"
#include "core/checkpoint/Refusal.h"
#include "core/checkpoint/foreign/FusedProjections.h"
#include "core/checkpoint/foreign/NameTables.h"

namespace headlight {
namespace {

/// [D, p·p·3], whose columns are (row, column, channel), as a convolution's [D, 3, p, p].
at::Tensor asConvolution(const std::string& name, const at::Tensor& linear) {
  if (linear.dim() == 4) return linear;
  const std::int64_t columns = linear.dim() == 2 ? linear.size(1) : 0;
  const auto side = static_cast<std::int64_t>(std::llround(std::sqrt(columns / 3.0)));
  if (side < 1 || side * side * 3 != columns)
    refuse(name, tr("is not a square patch of three colors; only models of color images open"));
  return linear.reshape({linear.size(0), side, side, 3}).permute({0, 3, 1, 2}).contiguous();
}

at::Tensor asTokens(at::Tensor tensor) {
  while (tensor.dim() > 0 && tensor.dim() < 3)
    tensor = tensor.unsqueeze(0);
  return tensor;
}

class Renamer {
 public:
  Renamer(const NameTable& table, std::string tower)
      : m_table(table), m_tower(std::move(tower)), m_beside(outer(m_tower)) {}

  void take(const std::string& name, const at::Tensor& tensor) {
    for (const NameRow& row : m_table.rows)
      if (const auto ours = renamed(row, name)) return apply(row.rule, *ours, tensor);
    m_tensors.emplace_back(name, tensor);
  }

  NamedTensors finished() {
    m_fused.appendTo(m_tensors);
    return std::move(m_tensors);
  }

  /// Whether the patches come cut out: of images of any proportions (SigLIP 2's NaFlex).
  bool cutsPatches() const { return m_cutsPatches; }

  /// In words, for a note; empty: nothing.
  std::string leftAside() const {
    std::string text;
    for (const std::string& part : m_leftAside)
      text += (text.empty() ? "" : ", ") + part;
    return text;
  }

 private:
  /// "model.vit." → "model."
  static std::string outer(const std::string& tower) {
    if (tower.empty()) return {};
    const auto dot = tower.rfind('.', tower.size() - 2);
    return dot == std::string::npos ? std::string() : tower.substr(0, dot + 1);
  }

  std::optional<std::string> renamed(const NameRow& row, std::string_view name) const {
    const bool beside = row.theirs.starts_with('^');
    const std::string& prefix = beside ? m_beside : m_tower;
    if (!name.starts_with(prefix)) return std::nullopt;
    name.remove_prefix(prefix.size());
    if (!beside) return applyRow(row, name);
    return applyRow({row.theirs.substr(1), row.ours, row.rule}, name);
  }

  void apply(TensorRule rule, const std::string& ours, const at::Tensor& tensor) {
    switch (rule) {
      case TensorRule::Query:
        return m_fused.add(ours, 0, tensor);
      case TensorRule::Key:
        return m_fused.add(ours, 1, tensor);
      case TensorRule::Value:
        return m_fused.add(ours, 2, tensor);
      case TensorRule::Drop:
        if (!ours.empty()) m_leftAside.insert(ours);
        return;
      default:
        m_tensors.emplace_back(ours, shaped(rule, ours, tensor));
    }
  }

  at::Tensor shaped(TensorRule rule, const std::string& ours, const at::Tensor& tensor) {
    if (rule == TensorRule::Tokens) return asTokens(tensor);
    if (rule == TensorRule::Patches && ours.ends_with("weight")) {
      m_cutsPatches = m_cutsPatches || tensor.dim() == 2;
      return asConvolution(ours, tensor);
    }
    if (rule == TensorRule::Transpose && tensor.dim() == 2) return tensor.t().contiguous();
    return tensor;
  }

  const NameTable& m_table;
  std::string m_tower, m_beside;
  NamedTensors m_tensors;
  FusedProjections m_fused;
  std::set<std::string> m_leftAside;
  bool m_cutsPatches = false;
};

/// The prefix under which the file has the family's two tensors.
std::optional<std::string> towerOf(const NameTable& table, const std::set<std::string>& names) {
  for (const std::string& name : names) {
    if (!name.ends_with(table.anchor)) continue;
    const std::string tower = name.substr(0, name.size() - table.anchor.size());
    if (!tower.empty() && tower.back() != '.') continue;
    for (const std::string& second : table.seconds)
      if (names.contains(tower + second)) return tower;
  }
  return std::nullopt;
}

/// Which of two names are one and the same in timm's words, nobody can say.
void refuseTwice(const NamedTensors& tensors) {
  std::set<std::string> names;
  for (const auto& [name, tensor] : tensors)
    if (!names.insert(name).second)
      refuse(name, tr("is what two tensors of the file are called in timm's names; save the model "
                      "that you want alone"));
}

void rename(const NameTable& table, const std::string& tower, Checkpoint& checkpoint) {
  Renamer renamer(table, tower);
  for (const auto& [name, tensor] : checkpoint.tensors)
    renamer.take(name, tensor);
  checkpoint.tensors = renamer.finished();
  checkpoint.positions =
      renamer.cutsPatches() ? PositionFilter::BilinearAntialiased : table.positions;
  if (table.finish) table.finish(checkpoint);
  refuseTwice(checkpoint.tensors);
  checkpoint.notes.push_back(std::string("tensor names of ") + table.title +
                             ": read under timm's names");
  if (const std::string aside = renamer.leftAside(); !aside.empty())
    checkpoint.notes.push_back("left aside: " + aside);
  if (table.arguments) checkpoint.metadata.try_emplace("config", table.arguments);
}

/// Shapes alone, read without their numbers: they stay so, whatever a header claims.
bool isHollow(const at::Tensor& tensor) {
  return tensor.numel() > 1 && !tensor.is_contiguous();
}

void dropNumbers(Checkpoint& checkpoint) {
  for (auto& [name, tensor] : checkpoint.tensors)
    tensor = at::empty(tensor.sizes(), tensor.options().device(at::kMeta));
}

void restoreHollow(Checkpoint& checkpoint) {
  for (auto& [name, tensor] : checkpoint.tensors)
    tensor = at::zeros({}, tensor.options().device(at::kCPU)).expand(tensor.sizes());
}

void renameAsKnown(Checkpoint& checkpoint) {
  std::set<std::string> names;
  for (const auto& [name, tensor] : checkpoint.tensors)
    names.insert(name);
  for (const NameTable& table : nameTables())
    if (const auto tower = towerOf(table, names)) return rename(table, *tower, checkpoint);
}

}  // namespace

Checkpoint inTimmNames(Checkpoint checkpoint) {
  if (checkpoint.metadata.contains("experiment")) return checkpoint;
  const bool hollow = std::any_of(checkpoint.tensors.begin(), checkpoint.tensors.end(),
                                  [](const auto& named) { return isHollow(named.second); });
  if (hollow) dropNumbers(checkpoint);
  renameAsKnown(checkpoint);
  if (hollow) restoreHollow(checkpoint);
  return checkpoint;
}

}  // namespace headlight
