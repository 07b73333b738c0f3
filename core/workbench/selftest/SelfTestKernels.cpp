// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/workbench/selftest/SelfTestKernels.h"

#include <ATen/Functions.h>

#include <cmath>

#include "core/base/Translation.h"
#include "core/workbench/selftest/FloatGaps.h"
#include "core/workbench/selftest/KernelCases.h"

namespace headlight {
namespace {

constexpr double kConvolutionBound = 1e-4, kHeadsBound = 1e-5, kSamplesBound = 1e-5;

/// The larger one; what is no number stays so.
double larger(double a, double b) {
  return std::isnan(a) || a > b ? a : b;
}

double largestGap(const std::vector<at::Tensor>& found, const std::vector<at::Tensor>& expected) {
  double gap = 0;
  for (std::size_t i = 0; i < found.size(); ++i)
    gap = larger(gap, scaledGap(found[i], expected[i]));
  return gap;
}

struct PassGaps {
  double forward = 0, backward = 0;

  void add(const KernelOutcome& found, const KernelOutcome& expected) {
    forward = larger(forward, largestGap(found.forward, expected.forward));
    backward = larger(backward, largestGap(found.backward, expected.backward));
  }
};

template <typename Case>
PassGaps gapsOf(const std::vector<Case>& cases,
                KernelOutcome (*outcome)(const Case&, const KernelSide&),
                const at::Device& device) {
  PassGaps gaps;
  for (const Case& given : cases)
    gaps.add(outcome(given, {device, at::kFloat, /*plain=*/false}),
             outcome(given, {at::Device(at::kCPU), at::kDouble, /*plain=*/true}));
  return gaps;
}

std::vector<SelfTestRow> passRows(const std::string& name, const std::string& what,
                                  const std::string& kernel, const PassGaps& gaps, double bound) {
  std::vector<SelfTestRow> rows{
      boundedRow(name + ".forward", what + tr(": output"), "relative", gaps.forward, bound),
      boundedRow(name + ".backward", what + tr(": gradients"), "relative", gaps.backward, bound)};
  for (SelfTestRow& row : rows)
    row.note = kernel;
  return rows;
}

}  // namespace

SelfTestChecks kernelChecks(const at::Device& device) {
  return {{"kernels.depthwise",
           [device] {
             return passRows(
                 "kernels.depthwise", tr("depthwise convolution"), convolutionKernel(device),
                 gapsOf(convolutionCases(), convolutionOutcome, device), kConvolutionBound);
           }},
          {"kernels.linear_heads",
           [device] {
             return passRows("kernels.linear_heads", tr("masked heads in linear time"),
                             headsKernel(device), gapsOf(headsCases(), headsOutcome, device),
                             kHeadsBound);
           }},
          {"kernels.deformable", [device] {
             return passRows("kernels.deformable", tr("deformable attention"),
                             samplesKernel(device), gapsOf(samplesCases(), samplesOutcome, device),
                             kSamplesBound);
           }}};
}

}  // namespace headlight
