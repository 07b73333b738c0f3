// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/models/backbones/Recomputation.h"

#include <ATen/Context.h>
#include <torch/csrc/autograd/custom_function.h>
#include <torch/custom_class.h>

#include <optional>

#include "core/attention/base/MicroBatch.h"
#include "core/attention/base/MixedPrecision.h"

namespace headlight {
namespace {

using torch::autograd::AutogradContext;
using torch::autograd::variable_list;

constexpr const char* kPass = "pass";

/// Where LibTorch's generators stand, the processor's and the tokens' device's.
struct RandomState {
  at::Tensor cpu, device;
};

at::Generator generatorOf(const at::Device& device) {
  return at::globalContext().defaultGenerator(device);
}

at::Tensor stateOf(at::Generator generator) {
  const std::lock_guard<std::mutex> lock(generator.mutex());
  return generator.get_state();
}

void setState(at::Generator generator, const at::Tensor& state) {
  const std::lock_guard<std::mutex> lock(generator.mutex());
  generator.set_state(state);
}

RandomState randomState(const at::Device& device) {
  return {stateOf(generatorOf(at::kCPU)),
          device.is_cpu() ? at::Tensor() : stateOf(generatorOf(device))};
}

void restore(const RandomState& state, const at::Device& device) {
  setState(generatorOf(at::kCPU), state.cpu);
  if (state.device.defined()) setState(generatorOf(device), state.device);
}

/// What the backward pass needs besides the tokens.
struct Pass : torch::CustomClassHolder {
  Pass(Model& of, int number, const at::Device& device)
      : model(of),
        layer(number),
        random(randomState(device)),
        part(batchPart()),
        precision(precisionNow(device)) {}
  Model& model;
  int layer;
  RandomState random;
  MicroBatch part;
  Precision precision;  ///< the backward pass is in none of its own
};

/// With a graph of its own: kernels for training differ from those without gradients.
struct Computed {
  at::Tensor tokens, result;
};
Computed compute(Model& model, int layer, const at::Tensor& tokens) {
  const at::AutoGradMode graph(true);
  const at::Tensor own = tokens.detach().requires_grad_();
  return {own, model.block(layer, own, nullptr)};
}

class RecomputedBlock : public torch::autograd::Function<RecomputedBlock> {
 public:
  static at::Tensor forward(AutogradContext* context, const at::Tensor& tokens,
                            const c10::intrusive_ptr<Pass>& pass) {
    context->save_for_backward({tokens});
    context->saved_data[kPass] = c10::IValue::make_capsule(pass);
    return compute(pass->model, pass->layer, tokens).result.detach();
  }

  static variable_list backward(AutogradContext* context, variable_list gradients) {
    const auto pass =
        c10::static_intrusive_pointer_cast<Pass>(context->saved_data[kPass].toCapsule());
    const at::Tensor tokens = context->get_saved_variables()[0];
    const BatchPartScope scope(pass->part);
    const RandomState before = randomState(tokens.device());
    restore(pass->random, tokens.device());
    const Computed again = [&] {
      const AutocastScope autocast(pass->precision, tokens.device());
      return compute(pass->model, pass->layer, tokens);
    }();
    restore(before, tokens.device());
    const at::AutoGradMode graph(true);
    again.result.backward(gradients[0]);
    return {again.tokens.grad(), at::Tensor()};
  }
};

}  // namespace

at::Tensor recomputedBlock(Model& model, int layer, const at::Tensor& tokens) {
  if (!at::GradMode::is_enabled() || !tokens.requires_grad())
    return model.block(layer, tokens, nullptr);
  return RecomputedBlock::apply(tokens, c10::make_intrusive<Pass>(model, layer, tokens.device()));
}

bool canRecompute(const Model& model) {
  for (const auto& buffer : model.named_buffers())
    if (buffer.key().find("running_mean") != std::string::npos) return false;
  return true;
}

}  // namespace headlight
