// SPDX-License-Identifier: GPL-3.0-or-later

// Checkpoint.h: what goes where: names and shapes of a file against those of a model.

#include <ATen/core/Tensor.h>
#include <ATen/core/grad_mode.h>
#include <c10/core/ScalarType.h>

#include <optional>
#include <unordered_map>
#include <unordered_set>
#include <utility>
#include <vector>

#include "core/base/Translation.h"
#include "core/checkpoint/Checkpoint.h"
#include "core/checkpoint/PositionResize.h"
#include "core/checkpoint/Refusal.h"
#include "core/checkpoint/RelativeResize.h"

namespace headlight {
namespace {

using TensorsByName = std::unordered_map<std::string, at::Tensor>;

TensorsByName byName(const NamedTensors& tensors, const std::string& whose) {
  TensorsByName result;
  for (const auto& [name, tensor] : tensors)
    if (!tensor.defined() || !result.emplace(name, tensor).second)
      refuse(name, whose + tr(" names this tensor twice, or it is undefined"),
             ErrorCode::InvalidArgument);
  return result;
}

/// Plans for one tensor of the model that the file has too.
void planTensor(const std::string& name, const at::Tensor& model, const at::Tensor& file,
                const PositionLayout& layout, std::int64_t filePrefix, LoadPlan& plan) {
  if (file.sizes() == model.sizes() && c10::canCast(file.scalar_type(), model.scalar_type())) {
    plan.report.matched.push_back(name);
    plan.values.emplace_back(name, file.to(model.scalar_type()));
    return;
  }
  std::optional<ResizedPositions> resized;
  if (isPositionEmbedding(name)) resized = resizePositions(file, model, layout, filePrefix);
  if (isRelativeTable(name)) resized = resizeRelativeTable(file, model, layout);
  if (resized) {
    plan.report.resized.push_back(
        {name, file.sizes().vec(), model.sizes().vec(), resized->how, std::move(resized->change)});
    plan.values.emplace_back(name, std::move(resized->value));
    return;
  }
  plan.report.mismatched.push_back({name, file.sizes().vec(), model.sizes().vec()});
}

/// Where a tensor that the model keeps apart lies in a fused projection: its name, and which third
/// of the rows. AFT takes the values alone, whose queries and keys are of no use to it (§5.3);
/// attention by features takes all three.
struct FusedPart {
  std::string name;
  std::int64_t third = 0;
};

std::optional<FusedPart> fusedPart(const std::string& name) {
  static const std::string kFused = ".attn.qkv.";
  static const std::vector<std::pair<std::string, std::int64_t>> kApart{
      {".attn.v.", 2}, {".attn.query.", 0}, {".attn.key.", 1}, {".attn.value.", 2}};
  for (const auto& [apart, third] : kApart)
    if (const auto place = name.rfind(apart); place != std::string::npos)
      return FusedPart{name.substr(0, place) + kFused + name.substr(place + apart.size()), third};
  return std::nullopt;
}

/// Rows of the file's fused projection, where the model keeps its parts apart. Adds nothing where
/// the file has no such tensor. Returns the name of the fused one.
std::optional<std::string> planFusedPart(const std::string& name, const at::Tensor& model,
                                         const TensorsByName& file, LoadPlan& plan) {
  const auto part = fusedPart(name);
  if (!part || model.dim() < 1) return std::nullopt;
  const std::string& fusedName = part->name;
  const auto found = file.find(fusedName);
  if (found == file.end()) return std::nullopt;
  const at::Tensor& fused = found->second;
  const std::int64_t rows = model.size(0), first = part->third * rows;
  std::vector<std::int64_t> expected = model.sizes().vec();
  expected[0] = 3 * rows;
  if (fused.sizes() != at::IntArrayRef(expected) ||
      !c10::canCast(fused.scalar_type(), model.scalar_type()))
    return std::nullopt;
  const auto text = [](std::int64_t row) { return std::to_string(row); };
  plan.report.taken.push_back(
      {name, fusedName,
       "rows " + text(first) + " to " + text(first + rows - 1) + " of " + text(3 * rows)});
  plan.values.emplace_back(name, fused.narrow(0, first, rows).to(model.scalar_type()).contiguous());
  return fusedName;
}

}  // namespace

Result<LoadPlan> planLoad(const NamedTensors& model, const Checkpoint& checkpoint,
                          const PositionLayout& layout) {
  return guarded("the checkpoint", [&] {
    const at::NoGradGuard noGradient;
    const TensorsByName file = byName(checkpoint.tensors, "the file");
    const TensorsByName known = byName(model, "the model");
    const std::int64_t filePrefix =
        static_cast<std::int64_t>(file.count("cls_token") + file.count("dist_token"));
    LoadPlan plan;
    plan.report.choices = checkpoint.choices;
    plan.report.leftAside = checkpoint.leftAside;
    std::unordered_set<std::string> used;  // by another name than the file's
    for (const auto& [name, tensor] : model) {
      const auto found = file.find(name);
      if (found != file.end()) {
        planTensor(name, tensor, found->second, layout, filePrefix, plan);
      } else if (const auto fused = planFusedPart(name, tensor, file, plan)) {
        used.insert(*fused);
      } else {
        plan.report.missing.push_back(name);
      }
    }
    for (const auto& [name, tensor] : checkpoint.tensors)
      if (!known.contains(name) && !used.contains(name)) plan.report.unexpected.push_back(name);
    return plan;
  });
}

Result<void> applyLoad(const NamedTensors& model, const LoadPlan& plan) {
  return guarded("the model", [&] {
    const at::NoGradGuard noGradient;
    const TensorsByName known = byName(model, "the model");
    for (const auto& [name, value] : plan.values) {
      const auto found = known.find(name);
      if (found == known.end() || !value.defined() || found->second.sizes() != value.sizes())
        refuse(name,
               tr("the model changed since the load was planned: this tensor is missing or has "
                  "another shape. Nothing was loaded; plan it again"),
               ErrorCode::InvalidArgument);
    }
    for (const auto& [name, value] : plan.values)
      at::Tensor(known.at(name)).copy_(value);
  });
}

}  // namespace headlight
