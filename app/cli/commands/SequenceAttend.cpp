// SPDX-License-Identifier: GPL-3.0-or-later

// sequence attend: where the heads of a layer look, as pictures and as arrays.

#include <filesystem>
#include <optional>

#include "app/cli/options/Inputs.h"
#include "app/cli/terminal/ExitCodes.h"
#include "app/cli/terminal/SequenceCommands.h"
#include "core/base/files/Files.h"
#include "core/workbench/session/Video.h"

namespace headlight::cli {
namespace {

namespace fs = std::filesystem;

class SequenceAttendCommand : public Command {
 public:
  CLI::App* declare(CLI::App& app) override {
    auto* command = app.add_subcommand("attend", "Where every head looks in a picture or a text");
    m_run.declare(*command);
    command->add_option("picture", m_picture, "A picture, of a model of pictures")
        ->type_name("FILE");
    command
        ->add_option("--text", m_text,
                     "A text, of a model of text: its last bytes, as many as the model takes")
        ->type_name("TEXT");
    command->add_option("--layer", m_layer, "This layer alone, from 0; default: all of them")
        ->type_name("INT")
        ->check(CLI::Range(0.0, 1e6).description(""));
    command
        ->add_option("-o,--output", m_output,
                     "Write `attention.L` [H,T,T] of the layers to this safetensors file: row i is "
                     "of where byte i is predicted, column 0 the start, column j the byte j - 1")
        ->type_name("FILE");
    command
        ->add_option("-p,--pictures", m_folder,
                     "Folder for a PNG a layer: a matrix a head, with what it is in words")
        ->type_name("FOLDER");
    command
        ->add_option("--colormap", m_colors,
                     "viridis, cividis, inferno, turbo, jet or grey; default viridis")
        ->type_name("TEXT");
    command->add_option("--tile", m_tile, "Pixels of a side of each matrix; default 384")
        ->type_name("INT")
        ->check(CLI::Range(16, 4096).description(""));
    command->add_flag("--json", m_json, "The result as one JSON object");
    return command;
  }

  int run(Terminal& terminal, std::stop_token stop) override {
    check();
    const auto colors = colorMapFromName(m_colors);
    if (!colors) refuseUsage("--colormap", colors.error().text());
    m_session = m_run.open("sequence attend");
    std::optional<Image> picture;
    if (!m_picture.empty()) picture = valueOrThrow(readPictureOrFrame(m_picture));
    std::vector<SequenceMaps> layers;
    for (const int layer : wantedLayers()) {
      if (stop.stop_requested()) throw Failure({ErrorCode::Canceled, "stopped", ""});
      layers.push_back(valueOrThrow(picture ? m_session->look(*picture, layer)
                                            : m_session->look(m_text, layer)));
    }
    if (!m_output.empty()) valueOrThrow(writeSequenceMaps(m_output, layers));
    return report(layers, draw(layers, *colors), terminal);
  }

 private:
  /// What can be said before the model is loaded.
  void check() const {
    if (m_run.run.empty()) refuseUsage("sequence attend", "needs a RUN");
    if (m_picture.empty() == m_text.empty())
      refuseUsage("sequence attend", "takes a picture or --text TEXT, one of them");
    if (m_output.empty() && m_folder.empty())
      refuseUsage("sequence attend", "needs --pictures FOLDER or --output FILE for its result");
  }

  std::vector<int> wantedLayers() const {
    if (m_layer) return {*m_layer};
    std::vector<int> all;
    for (int l = 0; l < m_session->experiment().model.depth; ++l)
      all.push_back(l);
    return all;
  }

  std::vector<std::string> draw(const std::vector<SequenceMaps>& layers, ColorMap colors) const {
    std::vector<std::string> files;
    if (m_folder.empty()) return files;
    makeOutputFolder(m_folder);
    for (const SequenceMaps& maps : layers) {
      const std::string title =
          m_session->experiment().name + ", layer " + std::to_string(maps.layer);
      const fs::path file =
          fs::path(m_folder) / ("attention-layer" + std::to_string(maps.layer) + ".png");
      valueOrThrow(writeFileAtomically(
          file, valueOrThrow(encodePng(sequenceMapsFigure(maps, title, colors, m_tile),
                                       {{"Software", "Headlight"}}))));
      files.push_back(file.string());
    }
    return files;
  }

  int report(const std::vector<SequenceMaps>& layers, const std::vector<std::string>& files,
             Terminal& terminal) const {
    if (terminal.json()) {
      terminal.printJson(Json{{"run", m_session->weights().string()},
                              {"map", layers.front().meaning},
                              {"heads", layers.front().heads},
                              {"length", layers.front().length},
                              {"output", m_output.empty() ? Json() : Json(m_output)},
                              {"files", files}});
      return kExitOk;
    }
    for (const std::string& file : files)
      terminal.print(file);
    if (!m_output.empty()) terminal.print(m_output);
    terminal.note(layers.front().meaning);
    return kExitOk;
  }

  SequenceRunOptions m_run;
  std::string m_picture, m_text, m_output, m_folder, m_colors = "viridis";
  std::optional<int> m_layer;
  int m_tile = 384;
  bool m_json = false;
  std::shared_ptr<SequenceSession> m_session;
};

}  // namespace

std::unique_ptr<Command> makeSequenceAttendCommand() {
  return std::make_unique<SequenceAttendCommand>();
}

}  // namespace headlight::cli
