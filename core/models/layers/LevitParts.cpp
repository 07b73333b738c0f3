// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/models/layers/LevitParts.h"

#include <ATen/ATen.h>

#include "core/attention/base/MixedPrecision.h"
#include "core/attention/base/SharedNorm.h"

namespace headlight {
namespace {

at::Tensor activeWhere(BehindNorm behind, const at::Tensor& x) {
  return behind == BehindNorm::ActiveProduct ? hardSwish(x) : x;
}

}  // namespace

at::Tensor hardSwish(at::Tensor x) {
  return x.requires_grad() ? at::hardswish(x) : at::hardswish_(x);
}

ConvNorm::ConvNorm(int in, int out, int groups) {
  m_linear = register_module(
      "linear",
      torch::nn::Conv2d(
          torch::nn::Conv2dOptions(in, out, 3).stride(2).padding(1).groups(groups).bias(false)));
  m_norm = register_module("bn", torch::nn::BatchNorm2d(out));
}

at::Tensor ConvNorm::forward(const at::Tensor& images, BehindNorm behind) {
  const bool grouped = m_linear->options.groups() > 1;
  const at::Tensor mapped = grouped ? depthwise(images, m_linear) : m_linear(images);
  const at::Tensor rows = mapped.permute({0, 2, 3, 1});
  if (runningNormTakes(rows, m_norm->weight, m_norm->is_training()))
    return runningNorm(m_norm, rows, behind).permute({0, 3, 1, 2});
  return activeWhere(behind, batchNormed(m_norm, inFloat32(mapped)));
}

void ConvNorm::count(CostCounter& counter, const std::string& name, std::int64_t in,
                     std::int64_t out, std::int64_t groups, std::int64_t positions) {
  counter.convolution(name + ".linear", in, out, 3, groups, false, positions);
  counter.parameters(name + ".bn", 2 * out);
}

LinearNorm::LinearNorm(int in, int out, double scale) {
  m_linear =
      register_module("linear", NarrowingLinear(torch::nn::LinearOptions(in, out).bias(false)));
  m_norm = register_module("bn", torch::nn::BatchNorm1d(out));
  const at::NoGradGuard noGrad;
  m_norm->weight.fill_(scale);
}

void LinearNorm::count(CostCounter& counter, const std::string& name, std::int64_t in,
                       std::int64_t out, std::int64_t tokens) {
  counter.linear(name + ".linear", in, out, false, tokens);
  counter.parameters(name + ".bn", 2 * out);
}

at::Tensor LinearNorm::forward(const at::Tensor& tokens, BehindNorm behind) {
  const at::Tensor mapped = m_linear(tokens);
  if (runningNormTakes(mapped, m_norm->weight, m_norm->is_training()))
    return runningNorm(m_norm, mapped, behind);
  const at::Tensor wide = inFloat32(mapped);
  return activeWhere(behind, rowsBatchNormed(m_norm, wide.flatten(0, 1)).view_as(wide));
}

at::Tensor NormLinear::forward(const at::Tensor& features) {
  return m_linear(rowsBatchNormed(m_norm, features));
}

NormLinear::NormLinear(int in, int out) {
  m_norm = register_module("bn", torch::nn::BatchNorm1d(in));
  m_linear = register_module("linear", NarrowingLinear(in, out));
}

void NormLinear::count(CostCounter& counter, const std::string& name, std::int64_t in,
                       std::int64_t out) {
  counter.parameters(name + ".bn", 2 * in);
  counter.linear(name + ".linear", in, out, true, 1);
}

LevitMlp::LevitMlp(int width, int hidden)
    : m_first(register_module("ln1", std::make_shared<LinearNorm>(width, hidden))),
      m_second(register_module("ln2", std::make_shared<LinearNorm>(hidden, width, 0.0))) {}

void LevitMlp::count(CostCounter& counter, const std::string& name, std::int64_t width,
                     std::int64_t hidden, std::int64_t tokens) {
  LinearNorm::count(counter, name + ".ln1", width, hidden, tokens);
  LinearNorm::count(counter, name + ".ln2", hidden, width, tokens);
}

at::Tensor LevitMlp::forward(const at::Tensor& tokens) {
  return m_second->forward(m_first->forward(tokens, BehindNorm::ActiveProduct));
}

}  // namespace headlight
