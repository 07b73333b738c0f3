// convert: any checkpoint as safetensors.

#include "core/workbench/Convert.h"
#include "app/cli/Command.h"
#include "app/cli/ExitCodes.h"
#include "app/cli/ModelOptions.h"
#include "core/base/OutputTarget.h"

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
    command->add_flag("--castle", m_castle,
                      "Save the model castled: inference goes without its auxiliary softmax branch "
                      "(evaluate --castle tells what that changes)");
    command->add_flag("--json", m_json, "The result as one JSON object");
    return command;
  }

  int run(Terminal& terminal, std::stop_token) override {
    if (m_in.empty() || m_out.empty())
      refuseUsage("convert", "needs two files: the one to read and the one to write");
    std::error_code error;
    prepareOutput("out", m_out, terminal);
    if (m_out != kStandardOutput && std::filesystem::equivalent(m_in, m_out, error))
      refuseUsage(m_out, "is the file to read as well; give another name");
    ConvertOptions options{m_dtype, m_weightsOnly, std::nullopt, m_castle};
    if (!m_model.empty()) options.experiment = experimentByName(m_model);
    const ConvertOutcome outcome = valueOrThrow(convertCheckpoint(m_in, m_out, options));
    for (const auto& name : outcome.overflowed)
      terminal.warning(name + " has values beyond the range of " + m_dtype +
                       ", which became infinite");
    if (terminal.json()) {
      terminal.printJson(Json{{"output", m_out},
                              {"tensors", outcome.tensors},
                              {"bytes", outcome.bytes},
                              {"overflowed", outcome.overflowed},
                              {"notes", outcome.notes}});
      return kExitOk;
    }
    for (const auto& note : outcome.notes)
      terminal.note("note: " + note);
    terminal.print(m_out + ": " + std::to_string(outcome.tensors) + " tensors, " +
                   std::to_string(outcome.bytes) + " bytes");
    return kExitOk;
  }

 private:
  std::string m_in, m_out, m_dtype, m_model;
  bool m_weightsOnly = false, m_castle = false, m_json = false;
};

}  // namespace

std::unique_ptr<Command> makeConvertCommand() {
  return std::make_unique<ConvertCommand>();
}

}  // namespace headlight::cli
