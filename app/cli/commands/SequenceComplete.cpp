// SPDX-License-Identifier: GPL-3.0-or-later

// sequence complete: the lower rows of images, drawn from a model (Fig. 4 of the AFT paper).

#include <filesystem>
#include <set>

#include "app/cli/options/Inputs.h"
#include "app/cli/options/ResultFlags.h"
#include "app/cli/terminal/ExitCodes.h"
#include "app/cli/terminal/ProgressBar.h"
#include "app/cli/terminal/SequenceCommands.h"
#include "core/base/Translation.h"
#include "core/base/files/Files.h"
#include "core/workbench/sequences/SequenceImages.h"

namespace headlight::cli {
namespace {

namespace fs = std::filesystem;

class SequenceCompleteCommand : public Command {
 public:
  CLI::App* declare(CLI::App& app) override {
    auto* command = app.add_subcommand("complete", tr("Complete images from their upper rows"));
    m_run.declare(*command);
    command->add_option("images", m_images, tr("Images or image folders"))->type_name("FILE");
    command
        ->add_option("-o,--output", m_folder,
                     tr("Folder for one PNG per image, with the original, the masked image and the "
                        "completions in a row"))
        ->type_name("FOLDER");
    const auto number = [&](const char* flag, auto& target, const char* help, double low,
                            double high) {
      command->add_option(flag, target, help)
          ->type_name("NUM")
          ->check(CLI::Range(low, high).description(""));
    };
    number("--samples", m_samples, tr("Completions per image; default 3"), 1, 64);
    number("--kept", m_kept, tr("Share of rows kept, from the top; default 0.5"), 0, 1);
    number("--scale", m_scale, tr("Enlargement: output pixels per image pixel; default 4"), 1, 64);
    m_draw.declare(*command);
    declareJson(*command, m_json);
    return command;
  }

  int run(Terminal& terminal, std::stop_token stop) override {
    if (m_run.run.empty() || m_images.empty())
      refuseUsage("sequence complete", tr("needs a RUN and images"));
    if (m_folder.empty())
      refuseUsage("--output", tr("is missing; name the folder for the results"));
    const auto images = expandImages(m_images);
    m_session = m_run.open("sequence complete");
    std::error_code failure;
    fs::create_directories(m_folder, failure);
    if (failure)
      throw Failure({ErrorCode::Io, tr("cannot be created: ") + failure.message(), m_folder});
    const int exitCode = forEachImage(
        images, /*strict=*/false, terminal,
        [&](const auto& path, const Image& image) { completeImage(path, image, terminal, stop); });
    if (terminal.json())
      terminal.printJson(Json{{"run", m_session->weights().string()}, {"results", m_results}});
    return exitCode;
  }

 private:
  void completeImage(const fs::path& path, const Image& image, Terminal& terminal,
                     std::stop_token stop) {
    std::vector<Image> completed;
    {
      ProgressBar bar(terminal);
      completed = valueOrThrow(m_session->complete(image, m_kept, m_samples, m_draw.temperature,
                                                   static_cast<std::uint64_t>(m_draw.seed),
                                                   bar.callback(), stop));
    }
    const Image view = valueOrThrow(m_session->view(image));
    const int kept = keptRows(view.height, m_kept);
    const fs::path file = fs::path(m_folder) / (unusedStem(m_stems, path) + "-completed.png");
    const std::string png = valueOrThrow(
        encodePng(completionRow(view, kept, completed, m_scale), {{"Software", "Headlight"}}));
    valueOrThrow(writeFileAtomically(file, png));
    m_results.push_back({{"image", path.string()}, {"file", file.string()}, {"kept_rows", kept}});
    if (!terminal.json()) terminal.print(file.string());
  }

  SequenceRunOptions m_run;
  SequenceDrawOptions m_draw;
  std::vector<std::string> m_images;
  std::string m_folder;
  int m_samples = 3, m_scale = 4;
  double m_kept = 0.5;
  bool m_json = false;

  std::shared_ptr<SequenceSession> m_session;
  std::set<std::string> m_stems;
  Json m_results = Json::array();
};

}  // namespace

std::unique_ptr<Command> makeSequenceCompleteCommand() {
  return std::make_unique<SequenceCompleteCommand>();
}

}  // namespace headlight::cli
