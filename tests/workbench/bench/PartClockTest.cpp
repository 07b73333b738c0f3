// SPDX-License-Identifier: GPL-3.0-or-later

// The clock of a model's parts, with a time that the test moves on itself: what each part gets is
// known exactly.

#include "core/workbench/bench/PartClock.h"

#include <ATen/ATen.h>
#include <gtest/gtest.h>
#include <torch/csrc/autograd/custom_function.h>
#include <torch/nn/modules/linear.h>

#include <set>
#include <string>
#include <utility>
#include <vector>

namespace headlight {
namespace {

using torch::autograd::AutogradContext;
using torch::autograd::variable_list;

double g_partTime = 0;

/// The identity, which takes some seconds forward and some backward.
class Taking : public torch::autograd::Function<Taking> {
 public:
  static at::Tensor forward(AutogradContext* context, const at::Tensor& x, double forward,
                            double backward) {
    context->saved_data["backward"] = backward;
    g_partTime += forward;
    return x.clone();
  }
  static variable_list backward(AutogradContext* context, variable_list gradients) {
    g_partTime += context->saved_data["backward"].toDouble();
    return {gradients[0], at::Tensor(), at::Tensor()};
  }
};

std::shared_ptr<PartClock> movedClock() {
  g_partTime = 100;
  return std::make_shared<PartClock>([] { return g_partTime; });
}

/// Goes on by one second each time that it is read.
std::shared_ptr<PartClock> countingClock() {
  return std::make_shared<PartClock>([seconds = 0.0]() mutable { return ++seconds; });
}

using Expected = std::vector<std::pair<ModelPart, double>>;

void expectTimes(const PartTimes& times, ModelPass pass, const Expected& expected) {
  double sum = 0;
  for (const ModelPart part : kModelParts) {
    double wanted = 0;
    for (const auto& [named, seconds] : expected)
      if (named == part) wanted = seconds;
    EXPECT_EQ(times.at(pass, part), wanted) << modelPartName(part);
    sum += wanted;
  }
  EXPECT_EQ(times.sum(pass), sum);
}

TEST(PartClock, AScopeHasItsOwnTimeWithoutThatOfScopesWithin) {
  const auto clock = movedClock();
  const PartClockScope listening(clock);
  clock->start(/*training=*/false);
  g_partTime += 1;
  {
    const PartScope mlp(ModelPart::Mlp);
    g_partTime += 2;
    inPart(ModelPart::Norms, [] { g_partTime += 4; });
    g_partTime += 8;
  }
  clock->stop();
  g_partTime += 1000;  // nobody counts it
  expectTimes(clock->times(), ModelPass::Inference,
              {{ModelPart::Other, 1}, {ModelPart::Mlp, 10}, {ModelPart::Norms, 4}});
  expectTimes(clock->times(), ModelPass::Forward, {});
}

TEST(PartClock, StepsOfTheBackwardPassBelongToWhereTheForwardPassMadeThem) {
  const auto clock = movedClock();
  const PartClockScope listening(clock);
  const at::Tensor x = at::ones({3}).requires_grad_();
  clock->start(/*training=*/true);
  const at::Tensor first =
      inPart(ModelPart::Attention, [&] { return Taking::apply(x, 1.0, 16.0); });
  const at::Tensor between = Taking::apply(first, 2.0, 32.0);
  const at::Tensor last = inPart(ModelPart::Mlp, [&] {
    const at::Tensor normed =
        inPart(ModelPart::Norms, [&] { return Taking::apply(between, 4.0, 64.0); });
    return Taking::apply(normed, 8.0, 128.0);
  });
  const at::Tensor loss = inPart(ModelPart::Loss, [&] { return last.sum(); });
  {
    const BackwardScope back;
    loss.backward();
  }
  inPart(ModelPart::Optimizer, [] { g_partTime += 256; });
  clock->stop();
  expectTimes(clock->times(), ModelPass::Forward,
              {{ModelPart::Attention, 1},
               {ModelPart::Other, 2},
               {ModelPart::Norms, 4},
               {ModelPart::Mlp, 8}});
  expectTimes(clock->times(), ModelPass::Backward,
              {{ModelPart::Attention, 16},
               {ModelPart::Other, 32},
               {ModelPart::Norms, 64},
               {ModelPart::Mlp, 128}});
  expectTimes(clock->times(), ModelPass::Update, {{ModelPart::Optimizer, 256}});
  EXPECT_EQ(x.grad().sum().item<double>(), 3);
}

TEST(PartClock, ASecondStepBeginsAnew) {
  const auto clock = movedClock();
  const PartClockScope listening(clock);
  for (const ModelPart part : {ModelPart::Mlp, ModelPart::Attention}) {
    const at::Tensor x = at::ones({3}).requires_grad_();
    clock->start(/*training=*/true);
    const at::Tensor loss = inPart(part, [&] { return Taking::apply(x, 1.0, 2.0).sum(); });
    {
      const BackwardScope back;
      loss.backward();
    }
    clock->stop();
    expectTimes(clock->times(), ModelPass::Forward, {{part, 1}});
    expectTimes(clock->times(), ModelPass::Backward, {{part, 2}});
  }
}

TEST(PartClock, OperationsAreToldApartWithinTheAttention) {
  const auto clock = countingClock();
  torch::nn::Linear linear(4, 4);
  clock->setLinearLayers(*linear);
  const at::Tensor x = at::ones({1, 2, 4}), image = at::ones({1, 1, 4, 4}),
                   filter = at::ones({1, 1, 3, 3});
  const auto timesOf = [&](const auto& body) {
    const PartClockScope listening(clock);
    clock->start(/*training=*/false);
    inPart(ModelPart::Attention, body);
    clock->stop();
    return clock->times();
  };
  const auto has = [](const PartTimes& times, ModelPart part) {
    return times.at(ModelPass::Inference, part) > 0;
  };
  const PartTimes products = timesOf([&] { at::matmul(x, x.transpose(1, 2)); });
  EXPECT_FALSE(has(products, ModelPart::Projections));
  EXPECT_TRUE(has(products, ModelPart::Attention));
  const PartTimes layer = timesOf([&] { linear(x); });
  EXPECT_TRUE(has(layer, ModelPart::Projections));
  const PartTimes fused = timesOf([&] { at::linear(x, linear->weight); });
  EXPECT_TRUE(has(fused, ModelPart::Projections));
  const PartTimes norm = timesOf([&] { at::layer_norm(x, {4}); });
  EXPECT_TRUE(has(norm, ModelPart::Norms));
  const PartTimes convolved = timesOf([&] { at::conv2d(image, filter); });
  EXPECT_TRUE(has(convolved, ModelPart::Convolution));
  const PartTimes whole = timesOf([&] {
    const PartScope scope(ModelPart::Attention, /*whole=*/true);
    linear(x);
    at::conv2d(image, filter);
    inPart(ModelPart::Convolution, [&] { at::conv2d(image, filter); });
  });
  EXPECT_TRUE(has(whole, ModelPart::Attention));
  EXPECT_FALSE(has(whole, ModelPart::Projections));
  EXPECT_FALSE(has(whole, ModelPart::Convolution));
}

TEST(PartClock, WithoutAClockNobodyListens) {
  EXPECT_EQ(PartListener::current(), nullptr);
  const auto clock = movedClock();
  {
    const PartClockScope listening(clock);
    EXPECT_EQ(PartListener::current(), clock.get());
  }
  EXPECT_EQ(PartListener::current(), nullptr);
  at::layer_norm(at::ones({2, 4}), {4});  // the callbacks are gone, too
  EXPECT_EQ(clock->times().sum(ModelPass::Inference), 0);
}

TEST(PartClock, EveryPartHasWords) {
  std::set<std::string> names;
  for (const ModelPart part : kModelParts) {
    EXPECT_TRUE(names.insert(modelPartName(part)).second) << modelPartName(part);
    EXPECT_FALSE(modelPartTitle(part).empty());
    EXPECT_TRUE(modelPartHelp(part).ends_with("."));
  }
  EXPECT_EQ(names.size(), 10u);
}

}  // namespace
}  // namespace headlight
