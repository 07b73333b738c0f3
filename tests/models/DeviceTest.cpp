// A model that has been used on one device and moves to another leaves nothing behind. The other is
// LibTorch's "meta" device, which every machine has: it computes shapes alone, and refuses
// operations between its tensors and others as a GPU does.

#include <ATen/ATen.h>
#include <gtest/gtest.h>
#include <torch/library.h>

#include "core/models/Model.h"
#include "core/models/Registry.h"
#include "core/models/SequenceModel.h"
#include "tests/models/Shrunk.h"

namespace headlight {
namespace {

/// An operation that LibTorch cannot do on its meta device: done with zeros on the CPU, for the
/// shapes. Refuses tensors of other devices, as the operations do that it can.
void byZeros(const c10::OperatorHandle& operation, torch::jit::Stack* stack) {
  const std::size_t arguments = operation.schema().arguments().size();
  for (auto value = stack->end() - static_cast<std::ptrdiff_t>(arguments); value != stack->end();
       ++value) {
    if (!value->isTensor() || !value->toTensor().defined()) continue;
    const at::Tensor& tensor = value->toTensor();
    TORCH_CHECK(tensor.is_meta(), operation.operator_name(), " takes a tensor on ",
                tensor.device());
    *value = at::zeros(tensor.sizes(), tensor.options().device(at::kCPU));
  }
  operation.redispatchBoxed(c10::DispatchKeySet(c10::DispatchKey::CPU), stack);
  const std::size_t results = operation.schema().returns().size();
  for (auto value = stack->end() - static_cast<std::ptrdiff_t>(results); value != stack->end();
       ++value)
    if (value->isTensor() && value->toTensor().defined()) *value = value->toTensor().to(at::kMeta);
}

TORCH_LIBRARY_IMPL(aten, Meta, library) {
  for (const char* name :
       {"convolution", "convolution_backward", "native_batch_norm", "native_batch_norm_backward",
        "native_layer_norm", "native_layer_norm_backward", "hardswish", "hardswish_backward",
        "index_select", "where.self", "logical_not", "logical_and", "flip", "roll",
        "embedding_dense_backward"})
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
  CollectingTap tap;
  at::Tensor loss = model.forward(images, &tap).sum();
  EXPECT_EQ(loss.device(), device);
  for (const auto& [layer, map] : tap.maps)
    EXPECT_EQ(map.device(), device) << layer;
  if (!model.is_training()) return;
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
  for (const bool training : {true, false}) {
    model->train(training);
    use(*model, at::kMeta);
  }
  // Edited where it is now, with parameters that it did not have before.
  model->setMasks(masksInTurns(model->masks(), {"soft:3@0.25", "none", "hard:1"}));
  model->train();
  use(*model, at::kMeta);
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
  for (const char* mechanism : {"aft_full", "aft_local", "aft_simple"}) {
    SCOPED_TRACE(mechanism);
    SequenceModelConfig config;
    config.mechanism = mechanism;
    config.width = 16;
    config.depth = 2;
    config.window = 6;
    SequenceModel model(config, 24);
    useSequences(model, at::kCPU);
    moveToMeta(model);
    ASSERT_NO_THROW(useSequences(model, at::kMeta));
  }
}

}  // namespace
}  // namespace headlight
