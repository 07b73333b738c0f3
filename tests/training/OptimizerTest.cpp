// SPDX-License-Identifier: GPL-3.0-or-later

// AdamW against its textbook form in double precision.

#include <gtest/gtest.h>

#include <ATen/Functions.h>

#include <cmath>
#include <vector>

#include "core/base/Random.h"
#include "core/training/step/AdamW.h"

namespace headlight {
namespace {

/// One parameter of the reference: plain loops, nothing shared with the code under test.
struct Reference {
  std::vector<double> p, m, v;
  int t = 0;
  bool decays = true;

  void step(const std::vector<double>& gradient, double rate, double scale, const AdamWOptions& o) {
    ++t;
    for (std::size_t i = 0; i < p.size(); ++i) {
      const double g = gradient[i] * scale;
      if (decays) p[i] -= rate * o.weightDecay * p[i];
      m[i] = o.beta1 * m[i] + (1 - o.beta1) * g;
      v[i] = o.beta2 * v[i] + (1 - o.beta2) * g * g;
      const double mHat = m[i] / (1 - std::pow(o.beta1, t));
      const double vHat = v[i] / (1 - std::pow(o.beta2, t));
      p[i] -= rate * mHat / (std::sqrt(vHat) + o.epsilon);
    }
  }
};

std::vector<double> draw(std::int64_t count, std::uint64_t key, double size) {
  RandomStream stream(key);
  std::vector<double> values;
  for (std::int64_t i = 0; i < count; ++i)
    values.push_back(size * stream.normal());
  return values;
}

at::Tensor tensorOf(const std::vector<double>& values, at::IntArrayRef shape) {
  return at::tensor(at::ArrayRef<double>(values)).to(at::kFloat).view(shape);
}

NamedTensors parametersFrom(const std::vector<std::vector<double>>& values) {
  const std::vector<std::vector<std::int64_t>> shapes{{5, 7}, {11}, {3, 2, 2}};
  const std::vector<std::string> names{"matrix.weight", "some.bias", "late.weight"};
  NamedTensors parameters;
  for (std::size_t i = 0; i < shapes.size(); ++i)
    parameters.emplace_back(names[i], tensorOf(values[i], shapes[i]).requires_grad_(true));
  return parameters;
}

bool decaysIfMatrix(const std::string& name, const at::Tensor& parameter) {
  return parameter.dim() > 1;
}

class AdamWAgainstReference : public ::testing::TestWithParam<bool> {};

TEST_P(AdamWAgainstReference, FollowsItOverStepsThatDoNotAllHaveGradients) {
  const AdamWOptions options{0.9, 0.99, 1e-8, 0.1};
  const std::vector<std::vector<double>> start{draw(35, 1, 1), draw(11, 2, 1), draw(12, 3, 1)};
  NamedTensors parameters = parametersFrom(start);
  std::vector<Reference> references;
  for (std::size_t i = 0; i < start.size(); ++i) {
    const std::vector<double> zeros(start[i].size());
    references.push_back({start[i], zeros, zeros, 0, i != 1});
  }
  AdamW optimizer(options);
  optimizer.setFused(GetParam());
  optimizer.setParameters(parameters, decaysIfMatrix);
  for (int step = 0; step < 9; ++step) {
    const double rate = 0.01 + 0.01 * step;
    const double scale = step % 3 == 2 ? 0.25 : 1.0;
    for (std::size_t i = 0; i < parameters.size(); ++i) {
      if (i == 2 && step < 4) continue;  // joins later, with its own count of steps
      const auto gradient =
          draw(parameters[i].second.numel(), streamKey({9, i, std::uint64_t(step)}),
               0.1 * (1.0 + static_cast<double>(i)));
      parameters[i].second.mutable_grad() = tensorOf(gradient, parameters[i].second.sizes());
      references[i].step(gradient, rate, scale, options);
    }
    optimizer.step(rate, scale);
    optimizer.clearGradients();
  }
  for (std::size_t i = 0; i < parameters.size(); ++i) {
    const at::Tensor found = parameters[i].second.detach().to(at::kDouble).flatten();
    const at::Tensor expected = at::tensor(at::ArrayRef<double>(references[i].p));
    // Single against double precision over nine steps.
    EXPECT_LT((found - expected).abs().max().item<double>(), 2e-6) << parameters[i].first;
  }
}

/// A tenth of the rate for the second: its decay is a tenth, too.
TEST_P(AdamWAgainstReference, MovesEachParameterAtItsOwnRate) {
  const AdamWOptions options{0.9, 0.99, 1e-8, 0.1};
  const std::vector<std::vector<double>> start{draw(35, 1, 1), draw(11, 2, 1), draw(12, 3, 1)};
  NamedTensors parameters = parametersFrom(start);
  std::vector<Reference> references;
  for (std::size_t i = 0; i < start.size(); ++i) {
    const std::vector<double> zeros(start[i].size());
    references.push_back({start[i], zeros, zeros, 0, i != 1});
  }
  const std::string slow = parameters[2].first;
  AdamW optimizer(options);
  optimizer.setFused(GetParam());
  optimizer.setParameters(parameters, decaysIfMatrix,
                          [&](const std::string& name) { return name == slow ? 0.1 : 1.0; });
  for (std::uint64_t step = 0; step < 4; ++step) {
    for (std::size_t i = 0; i < parameters.size(); ++i) {
      const auto gradient = draw(parameters[i].second.numel(), streamKey({9, i, step}), 1);
      parameters[i].second.mutable_grad() = tensorOf(gradient, parameters[i].second.sizes());
      references[i].step(gradient, i == 2 ? 0.002 : 0.02, 1, options);
    }
    optimizer.step(0.02, 1);
    optimizer.clearGradients();
  }
  for (std::size_t i = 0; i < parameters.size(); ++i) {
    const at::Tensor found = parameters[i].second.detach().to(at::kDouble).flatten();
    const at::Tensor expected = at::tensor(at::ArrayRef<double>(references[i].p));
    EXPECT_LT((found - expected).abs().max().item<double>(), 2e-6) << parameters[i].first;
  }
}

TEST_P(AdamWAgainstReference, ContinuesExactlyFromItsState) {
  const std::vector<std::vector<double>> start{draw(35, 1, 1), draw(11, 2, 1), draw(12, 3, 1)};
  const auto stepOnce = [](AdamW& optimizer, NamedTensors& parameters, int step) {
    for (auto& [name, parameter] : parameters)
      parameter.mutable_grad() =
          tensorOf(draw(parameter.numel(),
                        streamKey({4, std::uint64_t(step), std::uint64_t(name.size())}), 1),
                   parameter.sizes());
    optimizer.step(0.02);
  };
  NamedTensors whole = parametersFrom(start), first = parametersFrom(start);
  AdamW wholeOptimizer({}), firstOptimizer({}), secondOptimizer({});
  for (AdamW* optimizer : {&wholeOptimizer, &firstOptimizer, &secondOptimizer})
    optimizer->setFused(GetParam());
  wholeOptimizer.setParameters(whole, decaysIfMatrix);
  firstOptimizer.setParameters(first, decaysIfMatrix);
  for (int step = 0; step < 6; ++step)
    stepOnce(wholeOptimizer, whole, step);
  for (int step = 0; step < 3; ++step)
    stepOnce(firstOptimizer, first, step);
  secondOptimizer.setParameters(first, decaysIfMatrix);
  secondOptimizer.load(firstOptimizer.state(), "test");
  for (int step = 3; step < 6; ++step)
    stepOnce(secondOptimizer, first, step);
  for (std::size_t i = 0; i < whole.size(); ++i)
    EXPECT_TRUE(at::equal(whole[i].second, first[i].second)) << whole[i].first;
}

/// Who keeps something made of a parameter (NarrowWeight.h) sees by its version that it is another.
TEST_P(AdamWAgainstReference, SaysThatAParameterWasWrittenTo) {
  NamedTensors parameters = parametersFrom({draw(35, 1, 1), draw(11, 2, 1), draw(12, 3, 1)});
  AdamW optimizer({});
  optimizer.setFused(GetParam());
  optimizer.setParameters(parameters, decaysIfMatrix);
  for (auto& [name, parameter] : parameters) {
    parameter.mutable_grad() = at::ones_like(parameter);
    const auto before = parameter._version();
    optimizer.step(0.1);
    EXPECT_GT(parameter._version(), before) << name;
  }
}

INSTANTIATE_TEST_SUITE_P(BothPaths, AdamWAgainstReference, ::testing::Values(true, false),
                         [](const auto& info) { return info.param ? "Fused" : "MultiTensor"; });

TEST(AdamW, ANewParameterBeginsFreshAndOldOnesKeepTheirState) {
  NamedTensors all = parametersFrom({draw(35, 1, 1), draw(11, 2, 1), draw(12, 3, 1)});
  AdamW optimizer({});
  optimizer.setParameters({all[0], all[1]}, decaysIfMatrix);
  for (auto& [name, parameter] : all)
    parameter.mutable_grad() = at::ones_like(parameter);
  optimizer.step(0.1);
  EXPECT_EQ(optimizer.state().size(), 6u);
  optimizer.setParameters(all, decaysIfMatrix);
  optimizer.step(0.1);
  std::map<std::string, at::Tensor> state;
  for (const auto& [name, tensor] : optimizer.state())
    state[name] = tensor;
  EXPECT_EQ(state.at("steps.matrix.weight").item<std::int64_t>(), 2);
  EXPECT_EQ(state.at("steps.late.weight").item<std::int64_t>(), 1);
}

TEST(AdamW, RefusesAStateThatDoesNotFit) {
  NamedTensors parameters = parametersFrom({draw(35, 1, 1), draw(11, 2, 1), draw(12, 3, 1)});
  AdamW optimizer({});
  optimizer.setParameters(parameters, decaysIfMatrix);
  const at::Tensor steps = at::full({}, 3, at::kLong);
  EXPECT_THROW(optimizer.load({{"first.some.bias", at::zeros({11})}}, "file"), Failure);
  EXPECT_THROW(optimizer.load({{"first.some.bias", at::zeros({10})},
                               {"second.some.bias", at::zeros({11})},
                               {"steps.some.bias", steps}},
                              "file"),
               Failure);
  EXPECT_THROW(optimizer.load({{"first.nobody", at::zeros({11})}}, "file"), Failure);
}

TEST(AdamW, MeasuresTheNormOverAllGradients) {
  NamedTensors parameters = parametersFrom({draw(35, 1, 1), draw(11, 2, 1), draw(12, 3, 1)});
  AdamW optimizer({});
  optimizer.setParameters(parameters, decaysIfMatrix);
  EXPECT_EQ(optimizer.gradientNorm().item<double>(), 0);
  double squares = 0;
  for (std::size_t i = 0; i < 2; ++i) {
    const auto gradient = draw(parameters[i].second.numel(), 40 + i, 1);
    for (const double g : gradient)
      squares += g * g;
    parameters[i].second.mutable_grad() = tensorOf(gradient, parameters[i].second.sizes());
  }
  EXPECT_NEAR(optimizer.gradientNorm().item<double>(), std::sqrt(squares), 1e-5);
}

TEST(AdamW, ElementsThatAreHeldStandStill) {
  AdamW adam(AdamWOptions{});
  const NamedTensors parameters = {{"some.bias", at::ones({3}).requires_grad_(true)}};
  at::Tensor parameter = parameters[0].second;
  adam.setParameters(parameters, decaysIfMatrix);
  const auto step = [&] {
    parameter.mutable_grad() = at::ones({3});
    adam.step(0.1);
  };
  step();
  const at::Tensor before = parameter.detach().clone();
  const at::Tensor held = at::tensor({0, 1, 0}).to(at::kBool);
  adam.freeze({{"some.bias", held}});
  step();
  adam.setFused(false);
  step();
  const at::Tensor same = before == parameter.detach();
  EXPECT_TRUE(at::equal(same, held)) << same;
  EXPECT_NEAR(adam.state()[0].second[1].item<float>(), 0.1, 1e-6) << "its first moment too";
  EXPECT_NEAR(adam.state()[0].second[0].item<float>(), 1 - 0.9 * 0.9 * 0.9, 1e-6);
  adam.freeze({});
  step();
  EXPECT_NE(parameter[1].item<float>(), before[1].item<float>());
}

}  // namespace
}  // namespace headlight
