// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/workbench/interventions/Registers.h"

#include <ATen/ATen.h>
#include <ATen/Parallel.h>

#include "core/base/Translation.h"
#include "core/workbench/interventions/OutlierNorms.h"
#include "core/workbench/interventions/RegisterNeurons.h"
#include "core/workbench/interventions/RegisterPass.h"
#include "core/workbench/session/ModelCopy.h"

namespace headlight {
namespace {

constexpr int kMostRegisters = 16, kMostNeurons = 100000;

void requireRegisters(const RegisterOptions& options) {
  if (options.registers >= 1 && options.registers <= kMostRegisters && options.neurons >= 0) return;
  throw Failure(
      {ErrorCode::InvalidArgument,
       tr("give 1 to ") + std::to_string(kMostRegisters) + tr(" registers, and neurons from 0 on"),
       "registers"});
}

}  // namespace

const ParameterTable& registerParameters() {
  using O = RegisterOptions;
  static const ParameterTable table =
      TableBuilder<O>()
          .integer(&O::registers, "registers", 0, kMostRegisters,
                   "Extra tokens that take the outliers (test-time registers); 0: off.")
          .integer(&O::neurons, "neurons", 0, kMostNeurons,
                   "Units of MLPs whose activations move from patches to the registers: those most "
                   "active at outliers; 0: none, the registers are just there.")
          .build();
  return table;
}

Result<RegisterReport> applyRegisters(InferenceSession& session, const RegisterRequest& request,
                                      const MaskScheme& masks, const ProgressCallback& progress,
                                      std::stop_token stop) {
  return guarded("registers", [&] {
    const at::NoGradGuard noGrad;
    at::init_num_threads();  // counts are per thread
    requireOutlierFactor(request.factor);
    requireRegisters(request.options);
    requireAttention(session.info());
    LoadedModel own = copyModel(session);
    VisionTransformer& model = requireRegisterPlace(*own.model);
    model.setMasks(masks);
    RegisterReport report;
    report.options = request.options;
    if (request.options.neurons > 0) findRegisterNeurons(report, own, request, progress, stop);
    RegisterPass pass(own, request, progress, stop);
    report.before = pass.run();
    pass.addRegisters(request.options.registers, report.neurons);
    report.after = pass.run();
    report.registerNorms = pass.registerNorms();
    return report;
  });
}

}  // namespace headlight
