// SPDX-License-Identifier: GPL-3.0-or-later

// sequence continue: text that a model goes on with.

#include "app/cli/terminal/ExitCodes.h"
#include "app/cli/terminal/ProgressBar.h"
#include "app/cli/terminal/SequenceCommands.h"
#include "core/base/Translation.h"

namespace headlight::cli {
namespace {

class SequenceContinueCommand : public Command {
 public:
  CLI::App* declare(CLI::App& app) override {
    auto* command = app.add_subcommand("continue", tr("Continue a text"));
    m_run.declare(*command);
    command->add_option("--prompt", m_prompt, tr("Prompt; default empty"))->type_name("TEXT");
    command->add_option("--bytes", m_bytes, tr("Number of bytes to generate; default 200"))
        ->type_name("INT")
        ->check(CLI::Range(1.0, 1e6).description(""));
    m_draw.declare(*command);
    command->add_flag("--json", m_json,
                      tr("Print the result as one JSON object; bytes that are not UTF-8 are "
                         "replaced"));
    command->footer(
        tr("Prints the prompt and its continuation. On a terminal, control characters and bytes "
           "that are not text are left out. Ctrl+C prints the bytes so far and exits with 130."));
    return command;
  }

  int run(Terminal& terminal, std::stop_token stop) override {
    const auto session = m_run.open("sequence continue");
    std::string drawn;
    const auto text = [&] {
      ProgressBar bar(terminal);
      RemainingTime remaining;
      remaining.start(0);
      return session->continueText(
          m_prompt, m_bytes, m_draw.temperature, static_cast<std::uint64_t>(m_draw.seed),
          [&](const std::string& bytes) {
            drawn += bytes;
            const auto done = static_cast<std::int64_t>(drawn.size());
            bar.show({"continuing", done, m_bytes, remaining.secondsRemaining(done, m_bytes)});
          },
          stop);
    }();
    // Stopped: what there is is worth having. As JSON it would pass for the whole.
    if (!text && text.error().code == ErrorCode::Canceled && !terminal.json())
      notify(terminal, drawn);
    if (!text) throw Failure(text.error());
    if (terminal.json())
      terminal.printJson(Json{{"prompt", m_prompt}, {"text", *text}, {"bytes", text->size()}});
    else
      notify(terminal, *text);
    return kExitOk;
  }

 private:
  void notify(Terminal& terminal, const std::string& text) const {
    terminal.printText(m_prompt + text);
  }

  SequenceRunOptions m_run;
  SequenceDrawOptions m_draw;
  std::string m_prompt;
  std::int64_t m_bytes = 200;
  bool m_json = false;
};

}  // namespace

std::unique_ptr<Command> makeSequenceContinueCommand() {
  return std::make_unique<SequenceContinueCommand>();
}

}  // namespace headlight::cli
