// SPDX-License-Identifier: GPL-3.0-or-later

// SGD with momentum against its textbook form in double precision, and a run with it.

#include <gtest/gtest.h>

#include <ATen/Functions.h>

#include <algorithm>

#include "core/base/Random.h"
#include "core/training/step/AdamW.h"
#include "core/training/step/Sgd.h"
#include "tests/training/Support.h"

namespace headlight {
namespace {

constexpr std::int64_t kMatrix = 6, kBias = 3;

/// One parameter of the reference, after torch.optim.SGD's pseudocode.
struct SgdReference {
  std::vector<double> p, buffer;
  bool decays = true;

  void step(const std::vector<double>& gradient, double rate, double scale, const SgdOptions& o) {
    for (std::size_t i = 0; i < p.size(); ++i) {
      double g = gradient[i] * scale + (decays ? o.weightDecay * p[i] : 0);
      if (o.momentum != 0) {
        buffer[i] = o.momentum * buffer[i] + g;
        g = o.nesterov ? g + o.momentum * buffer[i] : buffer[i];
      }
      p[i] -= rate * g;
    }
  }
};

std::vector<double> drawForSgd(std::int64_t count, std::uint64_t key) {
  RandomStream stream(key);
  std::vector<double> values;
  for (std::int64_t i = 0; i < count; ++i)
    values.push_back(stream.normal());
  return values;
}

NamedTensors sgdParametersFrom(const std::vector<double>& matrix, const std::vector<double>& bias) {
  return {{"some.weight", at::tensor(matrix).view({2, 3}).requires_grad_(true)},
          {"some.bias", at::tensor(bias).requires_grad_(true)}};
}

bool sgdDecaysIfMatrix(const std::string&, const at::Tensor& parameter) {
  return parameter.dim() > 1;
}

class SgdAgainstReference : public ::testing::TestWithParam<SgdOptions> {};

TEST_P(SgdAgainstReference, FollowsItOverStepsThatAreClippedToo) {
  const SgdOptions options = GetParam();
  SgdReference matrix{drawForSgd(kMatrix, 1), std::vector<double>(kMatrix), true};
  SgdReference bias{drawForSgd(kBias, 2), std::vector<double>(kBias), false};
  const NamedTensors parameters = sgdParametersFrom(matrix.p, bias.p);
  Sgd optimizer(options);
  optimizer.setParameters(parameters, sgdDecaysIfMatrix);
  for (std::uint64_t step = 0; step < 8; ++step) {
    const double rate = 0.02 * static_cast<double>(step + 1), scale = step % 3 == 2 ? 0.25 : 1.0;
    const auto g = drawForSgd(kMatrix, 10 + step), h = drawForSgd(kBias, 30 + step);
    at::Tensor first = parameters[0].second, second = parameters[1].second;
    first.mutable_grad() = at::tensor(g).view({2, 3});
    second.mutable_grad() = at::tensor(h);
    optimizer.step(rate, scale);
    matrix.step(g, rate, scale, options);
    bias.step(h, rate, scale, options);
  }
  const auto expectNear = [](const at::Tensor& found, const std::vector<double>& expected) {
    EXPECT_LT((found.detach().flatten() - at::tensor(expected)).abs().max().item<double>(), 1e-12);
  };
  expectNear(parameters[0].second, matrix.p);
  expectNear(parameters[1].second, bias.p);
  EXPECT_EQ(optimizer.state().size(), options.momentum == 0 ? 2u : 4u);
}

INSTANTIATE_TEST_SUITE_P(Forms, SgdAgainstReference,
                         ::testing::Values(SgdOptions{0.9, false, 0.1}, SgdOptions{0.9, true, 0.1},
                                           SgdOptions{0.9, true, 0}, SgdOptions{0, false, 0.1}));

TEST(Sgd, RefusesTheStateOfAdamW) {
  const NamedTensors parameters = sgdParametersFrom(drawForSgd(kMatrix, 1), drawForSgd(kBias, 2));
  AdamW adam({});
  adam.setParameters(parameters, sgdDecaysIfMatrix);
  for (const auto& [name, parameter] : parameters)
    at::Tensor(parameter).mutable_grad() = at::ones_like(parameter);
  adam.step(0.1);
  Sgd sgd({});
  sgd.setParameters(parameters, sgdDecaysIfMatrix);
  EXPECT_THROW(sgd.load(adam.state(), "file"), Failure);
}

TEST(Sgd, ARunGoesOnExactlyWhereItWasStopped) {
  const TemporaryFolder temporary;
  Experiment experiment = tinyExperiment();
  experiment.training.optimizer = "sgd";
  experiment.training.nesterov = true;
  experiment.training.schedule = "step";
  experiment.training.decayEpochs = 0.5;
  experiment.training.learningRate = 0.05;
  experiment.training.accumulate = 3;  // 8 images in parts of 3, 3 and 2
  experiment.data.fraction = 0.9;
  const auto whole = temporary.path() / "whole", cut = temporary.path() / "cut";
  runToEnd(*begin(experiment, whole));
  {
    const auto session = begin(experiment, cut);
    ASSERT_TRUE(runUntil(*session, 4).ok());
  }
  runToEnd(*resume(cut));
  const auto tensors = lastTensors(whole);
  expectSame(tensors, lastTensors(cut));
  const bool hasMomentum = std::any_of(tensors.begin(), tensors.end(), [](const auto& item) {
    return item.first.find("momentum.") != std::string::npos;
  });
  EXPECT_TRUE(hasMomentum);
}

}  // namespace
}  // namespace headlight
