// SPDX-License-Identifier: GPL-3.0-or-later

// convert: any checkpoint as safetensors.

#include "core/workbench/export/Convert.h"
#include "app/cli/options/DataOptions.h"
#include "app/cli/options/ModelOptions.h"
#include "app/cli/reports/EvaluationText.h"
#include "app/cli/terminal/Command.h"
#include "app/cli/terminal/ExitCodes.h"
#include "app/cli/terminal/ProgressBar.h"
#include "core/base/files/OutputTarget.h"

namespace headlight::cli {
namespace {

class ConvertCommand : public Command {
 public:
  CLI::App* declare(CLI::App& app) override {
    auto* command = app.add_subcommand("convert", "A .pth or .safetensors file as safetensors");
    command->add_option("in", m_in, "The file to read")->type_name("FILE");
    command->add_option("out", m_out, "The safetensors file to write; - for standard output")
        ->type_name("FILE");
    command
        ->add_option("--dtype", m_dtype,
                     "f32, f16 or bf16 for every floating tensor; default: as they are")
        ->type_name("TEXT");
    command
        ->add_option("-m,--model", m_model,
                     "Embed the Experiment of this published name or config, so that the file "
                     "opens alone")
        ->type_name("NAME|FILE");
    command->add_flag("--weights-only", m_weightsOnly,
                      "Leave out the optimiser and the moving averages of a training checkpoint");
    command->add_flag(
        "--castle", m_castle,
        "Save the model castled: inference goes without its auxiliary softmax branch; "
        "with --data, a --data. flag or --samples only where that is free on those "
        "pictures, as evaluate --castle measures it");
    m_samples =
        command
            ->add_option("--samples", m_check.sample.samples,
                         "Of --castle: look for nonzeros on at most so many pictures, spread "
                         "over the classes; 0 and default: all")
            ->type_name("INT")
            ->check(CLI::NonNegativeNumber.description(""));
    command->add_flag("--anyway", m_check.anyway,
                      "Of --castle: save it although nonzeros are left, and say how many");
    command
        ->add_option("--device", m_check.source.device,
                     "Of the pictures that --castle looks at: auto (CUDA if there is one), cpu, "
                     "cuda or cuda:N")
        ->type_name("TEXT");
    command
        ->add_option("--threads", m_check.source.threads,
                     "Likewise: CPU threads; 0: as many as cores")
        ->type_name("INT");
    m_data.declare(*command);
    command->add_flag("--json", m_json, "The result as one JSON object");
    return command;
  }

  int run(Terminal& terminal, std::stop_token stop) override {
    if (m_in.empty() || m_out.empty())
      refuseUsage("convert", "needs two files: the one to read and the one to write");
    std::error_code error;
    prepareOutput("out", m_out, terminal);
    if (m_out != kStandardOutput && std::filesystem::equivalent(m_in, m_out, error))
      refuseUsage(m_out, "is the file to read as well; give another name");
    if (!m_castle && (isChecked() || m_check.anyway))
      refuseUsage(m_check.anyway ? "--anyway" : "--data",
                  "belongs to --castle, which looks for what is left of the branch");
    if (m_check.anyway && !isChecked())
      refuseUsage("--anyway",
                  "needs pictures to look at: --data FOLDER, or --samples N of the data "
                  "that the checkpoint names");
    ConvertOptions options{m_dtype, m_weightsOnly, std::nullopt, m_castle, checked()};
    if (!m_model.empty()) options.experiment = experimentByName(m_model);
    ConvertOutcome outcome = converted(options, terminal, stop);
    if (m_castle && !outcome.castling)
      terminal.note(
          "note: nobody looked whether anything of the branch is left; --data or "
          "--samples does");
    for (const auto& name : outcome.overflowed)
      terminal.warning(name + " has values beyond the range of " + m_dtype +
                       ", which became infinite");
    if (terminal.json()) {
      terminal.printJson(
          Json{{"output", m_out},
               {"tensors", outcome.tensors},
               {"bytes", outcome.bytes},
               {"overflowed", outcome.overflowed},
               {"notes", outcome.notes},
               {"castling", outcome.castling ? castlingJson(*outcome.castling) : Json(nullptr)}});
      return kExitOk;
    }
    for (const auto& note : outcome.notes)
      terminal.note("note: " + note);
    if (outcome.castling) printCastling(*outcome.castling, terminal);
    terminal.print(m_out + ": " + std::to_string(outcome.tensors) + " tensors, " +
                   std::to_string(outcome.bytes) + " bytes");
    return kExitOk;
  }

 private:
  /// Whether pictures were named.
  bool isChecked() const {
    return !m_data.folder.empty() || !m_data.flags.empty() || m_samples->count() > 0;
  }

  std::optional<CastlingCheck> checked() {
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
      terminal.warning("castling is " + outcome->castling->verdict + "; saved all the same");
    return valueOrThrow(std::move(outcome));
  }

  CastlingCheck m_check{{}, {.data = {}, .samples = 0}};
  DataOptions m_data;
  CLI::Option* m_samples = nullptr;
  std::string m_in, m_out, m_dtype, m_model;
  bool m_weightsOnly = false, m_castle = false, m_json = false;
};

}  // namespace

std::unique_ptr<Command> makeConvertCommand() {
  return std::make_unique<ConvertCommand>();
}

}  // namespace headlight::cli
