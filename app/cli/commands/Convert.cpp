// SPDX-License-Identifier: GPL-3.0-or-later

// convert: any checkpoint as safetensors.

#include "core/workbench/export/Convert.h"
#include "app/cli/options/DataOptions.h"
#include "app/cli/options/ModelOptions.h"
#include "app/cli/options/OldFlags.h"
#include "app/cli/options/ResultFlags.h"
#include "app/cli/options/WeightsOptions.h"
#include "app/cli/reports/EvaluationText.h"
#include "app/cli/terminal/Command.h"
#include "app/cli/terminal/ExitCodes.h"
#include "app/cli/terminal/ProgressBar.h"
#include "core/base/Translation.h"
#include "core/base/files/OutputTarget.h"
#include "core/workbench/loading/WeightsPlace.h"

namespace headlight::cli {
namespace {

class ConvertCommand : public Command {
 public:
  CLI::App* declare(CLI::App& app) override {
    auto* command =
        app.add_subcommand("convert", tr("Convert a .pth or .safetensors file to safetensors"));
    command->add_option("in", m_in, tr("File to read"))->type_name("FILE");
    command->add_option("out", m_out, tr("safetensors file to write; - for standard output"))
        ->type_name("FILE");
    addTakeOption(*command, m_take);
    command
        ->add_option(
            "--dtype", m_dtype,
            convertDtypeNames() + tr(": dtype of all floating-point tensors; default: unchanged"))
        ->type_name("TEXT");
    command
        ->add_option("-m,--model", m_model,
                     tr("Embed the Experiment of this published name or config, so that the file "
                        "opens without --model"))
        ->type_name("NAME|FILE");
    command->add_flag(
        "--weights-only", m_weightsOnly,
        tr("Omit the optimizer state and the moving averages of a training checkpoint"));
    command->add_flag("--drop-branch", m_dropBranch,
                      tr("Drop the auxiliary branch: save the model for inference without its "
                         "auxiliary softmax branch. With --data, a --data. flag or --samples, only "
                         "if this is free on those images, as evaluate --drop-branch measures it"));
    acceptOldFlag(*command, "--castle", m_dropBranch);
    m_samples = command
                    ->add_option("--samples", m_check.sample.samples,
                                 tr("With --drop-branch: check at most this many images for "
                                    "nonzeros, spread over the classes; default 0: all"))
                    ->type_name("INT")
                    ->check(CLI::NonNegativeNumber.description(""));
    command->add_flag("--anyway", m_check.anyway,
                      tr("With --drop-branch: save even if nonzeros remain, and report how many"));
    command
        ->add_option("--device", m_check.source.device,
                     tr("Device for the check of --drop-branch: auto (CUDA if available), cpu, "
                        "cuda or cuda:N"))
        ->type_name("TEXT");
    command
        ->add_option("--threads", m_check.source.threads,
                     tr("CPU threads for the check; 0: as many as cores"))
        ->type_name("INT");
    m_data.declare(*command);
    declareJson(*command, m_json);
    return command;
  }

  int run(Terminal& terminal, std::stop_token stop) override {
    if (m_in.empty() || m_out.empty())
      refuseUsage("convert", tr("needs two files: one to read and one to write"));
    std::error_code error;
    prepareOutput("out", m_out, terminal);
    m_in = takenFrom(m_in, m_take);
    if (m_out != kStandardOutput &&
        std::filesystem::equivalent(parseWeightsPlace(m_in).file, m_out, error))
      refuseUsage(m_out, tr("is also the file to read; give another name"));
    if (!m_dropBranch && (isChecked() || m_check.anyway))
      refuseUsage(m_check.anyway ? "--anyway" : "--data",
                  tr("needs --drop-branch, which checks the branch for nonzeros"));
    if (m_check.anyway && !isChecked())
      refuseUsage("--anyway", tr("needs images to check: --data FOLDER, or --samples N for the "
                                 "data that the checkpoint names"));
    ConvertOptions options{m_dtype, m_weightsOnly, std::nullopt, m_dropBranch, checked()};
    if (!m_model.empty()) options.experiment = experimentByName(m_model);
    ConvertOutcome outcome = converted(options, terminal, stop);
    if (m_dropBranch && !outcome.castling)
      terminal.note(
          tr("note: the branch was not checked for nonzeros; --data or --samples checks it"));
    for (const auto& name : outcome.overflowed)
      terminal.warning(name + tr(" has values beyond the range of ") + m_dtype +
                       tr(", which became infinite"));
    if (terminal.json()) {
      terminal.printJson(Json{
          {"output", m_out},
          {"tensors", outcome.tensors},
          {"bytes", outcome.bytes},
          {"overflowed", outcome.overflowed},
          {"notes", outcome.notes},
          {"castling", outcome.castling ? branchReportJson(*outcome.castling) : Json(nullptr)}});
      return kExitOk;
    }
    for (const auto& note : outcome.notes)
      terminal.note("note: " + note);
    if (outcome.castling) printBranchReport(*outcome.castling, terminal);
    terminal.print(m_out + ": " + std::to_string(outcome.tensors) + tr(" tensors, ") +
                   std::to_string(outcome.bytes) + tr(" bytes"));
    return kExitOk;
  }

 private:
  /// Whether images were named.
  bool isChecked() const {
    return !m_data.folder.empty() || !m_data.flags.empty() || m_samples->count() > 0;
  }

  std::optional<BranchCheck> checked() {
    if (!isChecked()) return std::nullopt;
    m_check.source.weights = m_in;
    m_check.source.model = m_model;
    m_check.sample.data = m_data.describe(m_check.source).data;
    m_check.sample.matching = m_data.matching;
    return m_check;
  }

  ConvertOutcome converted(const ConvertOptions& options, Terminal& terminal,
                           std::stop_token stop) const {
    ProgressBar bar(terminal);
    auto outcome = convertCheckpoint(m_in, m_out, options, bar.callback(), stop);
    terminal.setStatus("");
    if (outcome && outcome->castling && !outcome->castling->free)
      terminal.warning(tr("dropping the branch is ") + outcome->castling->verdict +
                       tr("; saved anyway"));
    return valueOrThrow(std::move(outcome));
  }

  BranchCheck m_check{{}, {.data = {}, .samples = 0}};
  DataOptions m_data;
  CLI::Option* m_samples = nullptr;
  std::string m_in, m_out, m_take, m_dtype, m_model;
  bool m_weightsOnly = false, m_dropBranch = false, m_json = false;
};

}  // namespace

std::unique_ptr<Command> makeConvertCommand() {
  return std::make_unique<ConvertCommand>();
}

}  // namespace headlight::cli
