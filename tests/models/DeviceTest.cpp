// A model that has been used on one device and moves to another leaves nothing behind. The other is
// LibTorch's "meta" device, which every machine has: it computes shapes alone, and refuses
// operations between its tensors and others as a GPU does.

#include <ATen/ATen.h>
#include <gtest/gtest.h>

#include "core/base/TorchCompat.h"
#include "core/models/Model.h"
#include "core/models/Registry.h"
#include "tests/models/Shrunk.h"

namespace headlight {
namespace {

/// Masks of every kind, as far as heads go.
MaskScheme everyMask(const MaskScheme& none) {
  const std::vector<std::string> texts = {"hard:3", "soft:3@0.5", "strict:3", "random:3#1"};
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
void moveToMeta(Model& model) {
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
  if (masked) model->setMasks(everyMask(model->masks()));
  for (const bool training : {true, false}) {
    model->train(training);
    use(*model, at::kCPU);
  }
  moveToMeta(*model);
  for (const bool training : {true, false}) {
    model->train(training);
    use(*model, at::kMeta);
  }
}

TEST(Devices, AModelLeavesNothingBehind) {
  if (!HEADLIGHT_TORCH_AT_LEAST(2, 0))
    GTEST_SKIP() << "this LibTorch cannot run whole models on its meta device";
  for (const auto& published : publishedModels())
    for (const bool masked : {false, true})
      try {
        expectToMove(published.name, masked);
      } catch (const c10::Error& error) {
        ADD_FAILURE() << published.name << ": " << error.what_without_backtrace();
      }
}

}  // namespace
}  // namespace headlight
