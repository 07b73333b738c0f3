// sequence continue: text that a model goes on with.

#include <unistd.h>

#include "app/cli/ExitCodes.h"
#include "app/cli/ProgressBar.h"
#include "app/cli/SequenceCommands.h"

namespace headlight::cli {
namespace {

/// What a terminal may be sent: models draw any byte, escape sequences too.
std::string fitForTerminal(std::string text) {
  for (char& letter : text) {
    const auto code = static_cast<unsigned char>(letter);
    if ((code < ' ' && letter != '\n' && letter != '\t') || code == 0x7f) letter = '?';
  }
  return text;
}

class SequenceContinueCommand : public Command {
 public:
  CLI::App* declare(CLI::App& app) override {
    auto* command = app.add_subcommand("continue", "Continue a text");
    m_run.declare(*command);
    command->add_option("--prompt", m_prompt, "What it begins with; default empty")
        ->type_name("TEXT");
    command->add_option("--bytes", m_bytes, "How many bytes to add; default 200")
        ->type_name("INT")
        ->check(CLI::Range(1.0, 1e6).description(""));
    m_draw.declare(*command);
    command->add_flag("--json", m_json,
                      "The result as one JSON object; bytes that are not UTF-8 are replaced");
    command->footer(
        "Prints the prompt and what follows; to a terminal without control characters.");
    return command;
  }

  int run(Terminal& terminal, std::stop_token stop) override {
    const auto session = m_run.open("sequence continue");
    std::string text;
    {
      ProgressBar bar(terminal);
      RemainingTime remaining;
      remaining.start(0);
      std::int64_t done = 0;
      text = valueOrThrow(session->continueText(
          m_prompt, m_bytes, m_draw.temperature, static_cast<std::uint64_t>(m_draw.seed),
          [&](const std::string& bytes) {
            done += static_cast<std::int64_t>(bytes.size());
            bar.show({"continuing", done, m_bytes, remaining.secondsRemaining(done, m_bytes)});
          },
          stop));
    }
    if (terminal.json())
      terminal.printJson(Json{{"prompt", m_prompt}, {"text", text}, {"bytes", text.size()}});
    else
      terminal.print(::isatty(STDOUT_FILENO) == 1 ? fitForTerminal(m_prompt + text)
                                                  : m_prompt + text);
    return kExitOk;
  }

 private:
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
