// SPDX-License-Identifier: GPL-3.0-or-later

// bench: how fast attention, blocks, models, training steps and edits run here, kernel beside
// kernel.

#include <cmath>
#include <cstdio>

#include "app/cli/reports/TableText.h"
#include "app/cli/terminal/Command.h"
#include "app/cli/terminal/ExitCodes.h"
#include "core/base/Translation.h"
#include "core/base/files/Files.h"
#include "core/workbench/bench/Bench.h"
#include "core/workbench/bench/BenchTable.h"
#include "core/workbench/bench/PartBench.h"
#include "core/workbench/bench/StepBench.h"
#include "core/workbench/loading/TorchRuntime.h"
#include "core/workbench/session/InferenceSession.h"

namespace headlight::cli {
namespace {

std::string benchRowText(const BenchRow& row) {
  char line[200];
  std::snprintf(line, sizeof line, "%-28s %-9s %7lld %12.2f %12.2f %11.1f", row.name.c_str(),
                row.kernel.c_str(), static_cast<long long>(row.tokens), row.forwardMs,
                row.backwardMs, static_cast<double>(row.peakBytes) / 1e6);
  return line;
}

Json stepRowJson(const StepBenchRow& row) {
  return {{"what", "step"},
          {"name", row.name},
          {"device", row.device},
          {"precision", row.precision},
          {"processes", row.processes},
          {"sums_by", row.sumsBy},
          {"threads", row.threads},
          {"batch", row.batch},
          {"step_ms", row.stepMs},
          {"images_per_second", row.imagesPerSecond},
          {"gradient_bytes", row.gradientBytes},
          {"sent_bytes", row.sentBytes},
          {"sum_ms", row.sumMs},
          {"wait_ms", row.waitMs},
          {"hidden", row.hidden()},
          {"machine", computeDescription()}};
}

std::string stepRowText(const StepBenchRow& row) {
  char line[240];
  std::snprintf(
      line, sizeof line,
      tr("%s, %s, batch %lld, %d process%s of %d thread%s: %.1f ms a step, %.2f images/s; "
         "%.1f MB of gradients"),
      row.name.c_str(), row.precision.c_str(), static_cast<long long>(row.batch), row.processes,
      row.processes == 1 ? "" : "es", row.threads, row.threads == 1 ? "" : "s", row.stepMs,
      row.imagesPerSecond, static_cast<double>(row.gradientBytes) / 1e6);
  std::string text = line;
  if (row.processes == 1) return text;
  std::snprintf(
      line, sizeof line,
      tr(", %.1f MB sent by each; sums (%s) took %.1f ms, %.0f %% of it behind the backward "
         "pass"),
      static_cast<double>(row.sentBytes) / 1e6, row.sumsBy.c_str(), row.sumMs, 100 * row.hidden());
  return text + line;
}

class BenchCommand : public Command {
 public:
  CLI::App* declare(CLI::App& app) override {
    auto* command =
        app.add_subcommand("bench", tr("Measure the speed of attention, blocks, models, training "
                                       "steps and mask edits on this machine"));
    command
        ->add_option("what", m_what,
                     tr("attention, block, model, step or edit; step uses all processes started by "
                        "torchrun, mpirun or srun"))
        ->required()
        ->check(CLI::IsMember({"attention", "block", "model", "step", "edit"}));
    command
        ->add_option("--models", m_options.models,
                     tr("Published names, configs, or checkpoints that contain their Experiment; "
                        "for model, step and edit"))
        ->type_name("NAME|FILE ...")
        ->delimiter(',');
    m_mechanisms = command
                       ->add_option("--mechanisms", m_options.mechanisms,
                                    tr("Replace the models' mechanism by each of these (summary "
                                       "--mechanisms lists them); for block and model"))
                       ->delimiter(',');
    command
        ->add_option("--sides", m_options.sides,
                     tr("Grid sizes in patches per side, for attention"))
        ->delimiter(',')
        ->check(CLI::Range(1, 512));
    command->add_option("--heads", m_options.heads, tr("Number of heads, for attention"))
        ->check(CLI::Range(1, 64));
    command->add_option("--head-width", m_options.headWidth, tr("Head width, for attention"))
        ->check(CLI::Range(1, 1024));
    command->add_option("--window", m_options.window, tr("Window R of the hard masks; odd"))
        ->check(CLI::Range(1, 255));
    m_batch = command
                  ->add_option("--batch", m_options.batches,
                               tr("Batch size; several for model, separated by commas; for step, "
                                  "the total over all processes. Not for edit, which runs one "
                                  "image"))
                  ->type_name("INT ...")
                  ->delimiter(',')
                  ->check(CLI::Range(1, 4096));
    command
        ->add_option("--repeats", m_options.repeats,
                     tr("Number of measurements; the median is reported"))
        ->check(CLI::Range(1, 1000));
    command->add_option("--dense-tokens", m_options.denseTokens,
                        tr("Skip dense attention above this number of tokens"));
    command->add_flag(
        "--library", m_options.library,
        tr("For attention: also measure LibTorch's scaled_dot_product_attention (LibTorch 2). Its "
           "mask forbids pairs, where a hard mask sets the logit to 0"));
    command->add_flag("--checkpoint-blocks", m_options.recomputing,
                      tr("For model: also measure each with activation checkpointing "
                         "(training.checkpoint_blocks)"));
    command->add_flag("--parts", m_parts,
                      tr("For model: the time of each part of a model (embedding, norms, "
                         "attention, MLP, ...) in inference and in a training step"));
    command->add_option("-o,--output", m_output, tr("Also write the rows as CSV; not for step"))
        ->type_name("FILE");
    m_precision =
        command
            ->add_option(
                "--precision", m_options.precisions,
                tr("float32, or bfloat16 or float16 where the device supports them; several, "
                   "separated by commas, are measured in turn. For block, model and step"))
            ->type_name("NAME ...")
            ->delimiter(',');
    command->add_option("--device", m_options.device,
                        tr("auto (CUDA if available), cpu, cuda or cuda:N"));
    command->add_option("--threads", m_options.threads, tr("CPU threads; 0 means as many as cores"))
        ->check(CLI::Range(0, 1024));
    command->add_flag("--json", m_json, tr("Print the rows as one JSON list"));
    return command;
  }

  int run(Terminal& terminal, std::stop_token stop) override {
    if (m_options.window % 2 == 0) refuseUsage("--window", tr("must be odd"));
    if (m_what == "edit" && m_batch->count() > 0)
      refuseUsage("--batch", tr("does not apply to edit, which runs one image"));
    if (m_mechanisms->count() > 0 && m_what != "block" && m_what != "model")
      refuseUsage("--mechanisms", tr("applies only to block and model"));
    if (m_options.recomputing && m_what != "model")
      refuseUsage("--checkpoint-blocks", tr("applies only to model"));
    if (m_precision->count() > 0 && (m_what == "attention" || m_what == "edit"))
      refuseUsage("--precision", tr("applies only to block, model and step"));
    if (m_parts && m_what != "model") refuseUsage("--parts", tr("applies only to model"));
    if (m_parts && m_options.recomputing)
      refuseUsage("--parts", tr("does not go with --checkpoint-blocks"));
    if (!m_output.empty() && m_what == "step")
      refuseUsage("--output", tr("does not apply to step"));
    if (!m_output.empty() && !m_output.ends_with(".csv"))
      refuseUsage("--output", tr("must end in .csv"));
    if (m_options.batches.size() > 1 && m_what != "model")
      refuseUsage("--batch", tr("takes several sizes only for model"));
    if (!m_options.batches.empty()) m_options.batch = m_options.batches.front();
    if (m_what == "step") return benchStepsOf(terminal, stop);
    if (m_parts) return benchPartsOf(terminal, stop);
    configureCompute(m_options.threads);
    const BenchSink sink = [&](const BenchRow& row) {
      if (!terminal.json() && m_rows.empty()) printHead(terminal, row);
      m_rows.push_back(row);
      if (!terminal.json()) terminal.print(benchRowText(row));
    };
    valueOrThrow(m_what == "attention" ? benchAttention(m_options, sink, stop)
                 : m_what == "block"   ? benchBlock(m_options, sink, stop)
                 : m_what == "model"   ? benchModels(m_options, sink, stop)
                                       : benchEdits(m_options, sink, stop));
    finish(terminal);
    return kExitOk;
  }

 private:
  int benchStepsOf(Terminal& terminal, std::stop_token stop) {
    const Launch launch = valueOrThrow(launchOfThisProcess());
    Json rows = Json::array();
    const auto done = benchSteps(
        m_options, launch,
        [&](const StepBenchRow& row) {
          rows.push_back(stepRowJson(row));
          if (!terminal.json()) terminal.print(stepRowText(row));
        },
        stop);
    terminal.silence(launch.rank > 0 && (done || peersNotified()));
    valueOrThrow(done);
    if (terminal.json()) terminal.printJson(rows);
    return kExitOk;
  }

  int benchPartsOf(Terminal& terminal, const std::stop_token& stop) {
    configureCompute(m_options.threads);
    std::vector<PartReport> reports;
    const PartSink sink = [&](const PartReport& report) {
      reports.push_back(report);
      if (!terminal.json()) printParts(terminal, report);
    };
    valueOrThrow(benchParts(m_options, sink, stop));
    Json rows = Json::array();
    for (const PartReport& report : reports) {
      rows.push_back(partsJson(report));
      rows.back()["machine"] = computeDescription();
    }
    writeOutput(partsCsv(reports));
    if (terminal.json()) terminal.printJson(rows);
    return kExitOk;
  }

  static void printParts(Terminal& terminal, const PartReport& report) {
    char line[200];
    std::snprintf(line, sizeof line, tr("%s, batch %lld, %s on %s, %lld tokens: "),
                  report.name.c_str(), static_cast<long long>(report.batch),
                  report.precision.c_str(), report.device.c_str(),
                  static_cast<long long>(report.tokens));
    terminal.print(line + report.kernels);
    terminal.printText(tableText(partTable(report)));
    terminal.print(attentionText(report));
  }

  void writeOutput(const std::string& csv) const {
    if (!m_output.empty()) valueOrThrow(writeFileAtomically(m_output, csv));
  }

  static void printHead(Terminal& terminal, const BenchRow& row) {
    terminal.print(computeDescription() + tr(" · measured on ") + row.device);
    terminal.print(
        tr("name                         kernel     tokens   forward ms  backward ms"
           "     peak MB"));
  }

  void finish(Terminal& terminal) {
    writeOutput(benchCsv(m_rows));
    if (terminal.json()) {
      Json rows = Json::array();
      for (const auto& row : m_rows) {
        Json object = benchJson(row);
        object["machine"] = computeDescription();
        rows.push_back(object);
      }
      terminal.printJson(rows);
      return;
    }
    if (m_what != "attention") return;
    for (const std::string kernel : {"linear", "dense"}) {
      const double forward = growthExponent(m_rows, kernel, false);
      if (std::isnan(forward)) continue;
      char line[160];
      std::snprintf(line, sizeof line,
                    tr("%s: time grows as tokens^%.2f forward, tokens^%.2f with backward"),
                    kernel.c_str(), forward, growthExponent(m_rows, kernel, true));
      terminal.print(line);
    }
  }

  std::string m_what, m_output;
  CLI::Option *m_batch = nullptr, *m_mechanisms = nullptr, *m_precision = nullptr;
  BenchOptions m_options;
  bool m_json = false, m_parts = false;
  std::vector<BenchRow> m_rows;
};

}  // namespace

std::unique_ptr<Command> makeBenchCommand() {
  return std::make_unique<BenchCommand>();
}

}  // namespace headlight::cli
