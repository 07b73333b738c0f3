#include <ATen/core/Tensor.h>
#include <ATen/core/grad_mode.h>
#include <c10/core/ScalarType.h>

#include <unordered_map>

#include "core/checkpoint/Checkpoint.h"
#include "core/checkpoint/PositionResize.h"
#include "core/checkpoint/Refusal.h"

namespace headlight {
namespace {

using TensorsByName = std::unordered_map<std::string, at::Tensor>;

TensorsByName byName(const NamedTensors& tensors, const std::string& whose) {
  TensorsByName result;
  for (const auto& [name, tensor] : tensors)
    if (!tensor.defined() || !result.emplace(name, tensor).second)
      refuse(name, whose + " names this tensor twice, or it is undefined",
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
  if (isPositionEmbedding(name)) {
    if (auto resized = resizePositions(file, model, layout, filePrefix)) {
      plan.report.resized.push_back({name, file.sizes().vec(), model.sizes().vec(), resized->how,
                                     std::move(resized->change)});
      plan.values.emplace_back(name, std::move(resized->value));
      return;
    }
  }
  plan.report.mismatched.push_back({name, file.sizes().vec(), model.sizes().vec()});
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
    for (const auto& [name, tensor] : model) {
      const auto found = file.find(name);
      if (found == file.end()) {
        plan.report.missing.push_back(name);
      } else {
        planTensor(name, tensor, found->second, layout, filePrefix, plan);
      }
    }
    for (const auto& [name, tensor] : checkpoint.tensors)
      if (!known.contains(name)) plan.report.unexpected.push_back(name);
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
               "the model changed since the load was planned: this tensor is gone or of another "
               "shape; nothing was loaded, plan it again",
               ErrorCode::InvalidArgument);
    }
    for (const auto& [name, value] : plan.values)
      at::Tensor(known.at(name)).copy_(value);
  });
}

}  // namespace headlight
