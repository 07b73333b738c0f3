// SPDX-License-Identifier: GPL-3.0-or-later

// A model that has been used on one device and moves to another leaves nothing behind. The other is
// LibTorch's "meta" device, which every machine has: it computes shapes alone. It takes tensors of
// other devices where a GPU would refuse them, so every operation's arguments are looked at.

#include <ATen/ATen.h>
#include <ATen/record_function.h>
#include <gtest/gtest.h>
#include <torch/library.h>

#include <memory>
#include <mutex>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "core/models/Registry.h"
#include "core/models/backbones/Model.h"
#include "core/models/sequence/SequenceModel.h"
#include "tests/models/Shrunk.h"

namespace headlight {
namespace {

/// Notes the operations that take tensors of two devices, as long as one lives. Numbers (tensors of
/// no dimension) may be on the CPU everywhere; copies and look-ups by index go between devices.
class MixedDevices {
 public:
  MixedDevices()
      : m_handle(at::addGlobalCallback(at::RecordFunctionCallback(infer).needsInputs(true).scopes(
            {at::RecordScope::FUNCTION, at::RecordScope::BACKWARD_FUNCTION}))) {
    found();
  }
  ~MixedDevices() { at::removeCallback(m_handle); }
  MixedDevices(const MixedDevices&) = delete;
  MixedDevices& operator=(const MixedDevices&) = delete;

  /// Their names, since the last time.
  static std::string found() {
    const std::lock_guard lock(s_mutex);
    std::string names;
    for (const std::string& name : std::exchange(s_found, {}))
      names += name + " ";
    return names;
  }

 private:
  static std::unique_ptr<at::ObserverContext> infer(const at::RecordFunction& function) {
    std::set<c10::DeviceType> devices;
    const auto note = [&](const at::Tensor& tensor) {
      if (tensor.defined() && tensor.dim() > 0) devices.insert(tensor.device().type());
    };
    for (const c10::IValue& input : function.inputs()) {
      if (input.isTensor()) note(input.toTensor());
      if (input.isTensorList())
        for (const at::Tensor& tensor : input.toTensorVector())
          note(tensor);
    }
    const std::string name = function.name();
    if (devices.size() < 2 || name == "aten::copy_" || name == "aten::index") return nullptr;
    const std::lock_guard lock(s_mutex);
    s_found.insert(name);
    return nullptr;
  }

  inline static std::mutex s_mutex;
  inline static std::set<std::string> s_found;
  at::CallbackHandle m_handle;
};

/// An operation that LibTorch cannot do on its meta device: done with zeros on the CPU, for the
/// shapes.
void byZeros(const c10::OperatorHandle& operation, torch::jit::Stack* stack) {
  const std::size_t arguments = operation.schema().arguments().size();
  for (auto value = stack->end() - static_cast<std::ptrdiff_t>(arguments); value != stack->end();
       ++value)
    if (value->isTensor() && value->toTensor().defined()) {
      const at::Tensor& tensor = value->toTensor();
      *value = at::zeros(tensor.sizes(), tensor.options().device(at::kCPU));
    }
  operation.redispatchBoxed(c10::DispatchKeySet(c10::DispatchKey::CPU), stack);
  const std::size_t results = operation.schema().returns().size();
  for (auto value = stack->end() - static_cast<std::ptrdiff_t>(results); value != stack->end();
       ++value)
    if (value->isTensor() && value->toTensor().defined()) *value = value->toTensor().to(at::kMeta);
}

TORCH_LIBRARY_IMPL(aten, Meta, library) {
  for (const char* name : {"convolution",
                           "convolution_backward",
                           "native_batch_norm",
                           "native_batch_norm_backward",
                           "native_layer_norm",
                           "native_layer_norm_backward",
                           "hardswish",
                           "hardswish_backward",
                           "relu",
                           "index_select",
                           "where.self",
                           "logical_not",
                           "logical_and",
                           "flip",
                           "roll",
                           "embedding_dense_backward",
                           "native_group_norm",
                           "native_group_norm_backward",
                           "grid_sampler_2d",
                           "grid_sampler_2d_backward"})
    library.impl(name, torch::CppFunction::makeFromBoxedFunction<&byZeros>());
}

/// These masks in turns, as far as heads go.
MaskScheme masksInTurns(const MaskScheme& none, const std::vector<std::string>& texts) {
  MaskScheme scheme = none;
  std::size_t next = 0;
  for (int layer = 0; layer < none.maskableLayers(); ++layer)
    for (int head = 0; head < none.heads(layer); ++head)
      scheme.set(layer, head, *headMaskFromText(texts[next++ % texts.size()]));
  return scheme;
}

/// Forward and, in training, backward.
void use(Model& model, const at::Device& device) {
  const ModelConfig& config = model.config();
  const at::Tensor images =
      at::zeros({2, 3, config.imageHeightPixels(), config.imageWidthPixels()}, device);
  CollectingHook tap;
  at::Tensor loss = model.forward(images, &tap).sum();
  EXPECT_EQ(loss.device(), device);
  for (const auto& [layer, map] : tap.maps)
    EXPECT_EQ(map.device(), device) << layer;
  // Without logits there is nothing to go back from.
  if (!model.is_training() || taskOf(config) == Task::Rebuild) return;
  const at::Tensor auxiliary = model.auxiliaryLoss();
  if (auxiliary.defined()) loss = loss + auxiliary;
  loss.backward();
  for (const auto& [name, parameter] : model.trainable())
    if (parameter.grad().defined()) {
      EXPECT_EQ(parameter.grad().device(), device) << name;
    }
}

/// As Module::to(), which knows no way to meta tensors.
void moveToMeta(const torch::nn::Module& model) {
  const auto move = [](const at::Tensor& tensor) {
    tensor.mutable_grad() = at::Tensor();
    tensor.unsafeGetTensorImpl()->shallow_copy_from(
        tensor.detach().to(at::kMeta).getIntrusivePtr());
  };
  for (const at::Tensor& parameter : model.parameters())
    move(parameter);
  for (const at::Tensor& buffer : model.buffers())
    move(buffer);
}

void expectToMove(const std::string& name, bool masked) {
  SCOPED_TRACE(name + (masked ? ", masked" : ""));
  const auto model = makeModel(shrunk(findPublishedModel(name)->config), 1);
  if (masked)
    model->setMasks(
        masksInTurns(model->masks(), {"hard:3", "soft:3@0.5", "strict:3", "random:3#1"}));
  for (const bool training : {true, false}) {
    model->train(training);
    use(*model, at::kCPU);
  }
  moveToMeta(*model);
  const MixedDevices mixed;
  for (const bool training : {true, false}) {
    model->train(training);
    use(*model, at::kMeta);
  }
  // Edited where it is now, with parameters that it did not have before.
  model->setMasks(masksInTurns(model->masks(), {"soft:3@0.25", "none", "hard:1"}));
  model->train();
  use(*model, at::kMeta);
  EXPECT_EQ(mixed.found(), "");
}

TEST(Devices, WhatStaysBehindIsNoticed) {
  const at::Tensor here = at::ones({3, 3}), there = at::ones({3, 3}, at::kMeta);
  const MixedDevices mixed;
  at::mm(there, there).mul(at::scalar_tensor(2.0)).copy_(here);
  EXPECT_EQ(mixed.found(), "");
  at::mm(there, here);
  EXPECT_NE(mixed.found().find("aten::mm "), std::string::npos);
  at::cat({there, here});
  EXPECT_NE(mixed.found().find("aten::cat "), std::string::npos);
  at::embedding(there, at::zeros({2}, at::kLong));
  EXPECT_NE(mixed.found().find("aten::embedding "), std::string::npos);
}

TEST(Devices, AModelLeavesNothingBehind) {
  for (const auto& published : publishedModels())
    for (const bool masked : {false, true})
      try {
        expectToMove(published.name, masked);
      } catch (const c10::Error& error) {
        ADD_FAILURE() << published.name << ": " << error.what_without_backtrace();
      }
}

/// Forward and backward over whole sequences, and byte by byte.
void useSequences(SequenceModel& model, const at::Device& device) {
  const auto options = at::TensorOptions(device).dtype(at::kLong);
  const at::Tensor loss = model.forward(at::zeros({2, model.length()}, options)).sum();
  EXPECT_EQ(loss.device(), device);
  loss.backward();
  const at::NoGradGuard noGrad;
  SequenceState state;
  for (int i = 0; i < 3; ++i)
    EXPECT_EQ(model.step(at::full({2}, kStartSymbol, options), state).device(), device);
}

TEST(Devices, ASequenceModelLeavesNothingBehind) {
  for (const char* mechanism : {"softmax", "aft_full", "aft_local", "aft_simple", "aft_conv",
                                "linear_transformer", "performer", "synthesizer"}) {
    SCOPED_TRACE(mechanism);
    SequenceModelConfig config;
    config.mechanism = mechanism;
    config.width = 16;
    config.depth = 2;
    config.window = 6;
    SequenceModel model(config, 24);
    useSequences(model, at::kCPU);
    moveToMeta(model);
    const MixedDevices mixed;
    ASSERT_NO_THROW(useSequences(model, at::kMeta));
    EXPECT_EQ(mixed.found(), "");
  }
}

}  // namespace
}  // namespace headlight
