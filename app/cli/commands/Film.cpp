// SPDX-License-Identifier: GPL-3.0-or-later

// film: a video as a model sees it, as a film with maps and as a table of what is predicted.

#include <filesystem>
#include <optional>

#include "app/cli/figures/AttendPictures.h"
#include "app/cli/options/ModelOptions.h"
#include "app/cli/options/RolloutFlags.h"
#include "app/cli/options/StyleOptions.h"
#include "app/cli/terminal/Command.h"
#include "app/cli/terminal/ExitCodes.h"
#include "core/base/files/Files.h"
#include "core/base/files/OutputTarget.h"
#include "core/workbench/figures/VideoFilm.h"

namespace headlight::cli {
namespace {

constexpr const char* kFilmGroup = "Film";

class FilmCommand : public Command {
 public:
  CLI::App* declare(CLI::App& app) override {
    auto* command = app.add_subcommand(
        "film", "A video through a model: its maps as a film, its predictions as a table");
    command
        ->add_option("video", m_video,
                     "A file: AVI, MP4 or QuickTime, Matroska or WebM, Ogg, MPEG, animated GIF")
        ->type_name("VIDEO");
    command
        ->add_option("-o,--output", m_output,
                     "The film: FILE.gif, FILE.avi (Motion JPEG), FILE.mp4, or without an ending "
                     "a new folder of PNG")
        ->type_name("FILE");
    command
        ->add_option("--csv", m_csv,
                     "A table of predictions, frame,time,class,probability; - for standard output")
        ->type_name("FILE");
    command->add_flag("--json", m_json, "The result as one JSON object");
    declareFrames(*command);
    declareMaps(*command);
    m_model.declare(*command);
    return command;
  }

  int run(Terminal& terminal, std::stop_token stop) override {
    check();
    if (m_csv == kStandardOutput) terminal.leaveStandardOutput();
    const auto video = valueOrThrow(VideoReader::open(m_video));
    m_model.require();
    const auto session = m_model.open(terminal);
    const MaskScheme masks = m_model.masksFor(session->info());
    m_options.query = queryFromText(m_queryText, session->info().grid).token;
    auto film = makeFilm(*video);
    const auto frames = valueOrThrow(filmVideo(
        *session, masks, *video, m_options, film.get(),
        [&](const Progress& progress) { tell(progress, terminal); }, stop));
    terminal.setStatus("");
    if (film) valueOrThrow(film->finish());
    if (!m_csv.empty()) valueOrThrow(writeFileAtomically(m_csv, filmedTable(frames)));
    if (terminal.json())
      terminal.printJson(resultJson(*session, masks, video->info(), film.get(), frames));
    else
      say(film.get(), frames, terminal);
    return kExitOk;
  }

 private:
  void declareFrames(CLI::App& command) {
    const auto number = [&](const char* flag, std::int64_t& target, const char* help) {
      return command.add_option(flag, target, help)->type_name("INT")->group(kFilmGroup);
    };
    number("--from", m_options.from, "The first frame, counted from 0; default 0")
        ->check(CLI::NonNegativeNumber.description(""));
    number("--to", m_options.to, "The last frame; default: the last there is")
        ->check(CLI::NonNegativeNumber.description(""));
    number("--every", m_options.every, "Every so many frames one; default 1: all of them")
        ->check(CLI::PositiveNumber.description(""));
    command
        .add_option("--seconds", m_seconds,
                    "How long each frame is shown; default: as long as in the video")
        ->type_name("NUM")
        ->check(CLI::Range(0.001, 60.0).description(""))
        ->group(kFilmGroup);
    command
        .add_flag("--one-scale", m_options.oneScale,
                  "One scale over all frames, for which the video is read twice; else each frame "
                  "has its own")
        ->group(kFilmGroup);
    command.add_option("--width", m_options.width, "Of what the model saw, in pixels; default 480")
        ->type_name("INT")
        ->check(CLI::Range(32, 4000).description(""))
        ->group(kFilmGroup);
  }

  void declareMaps(CLI::App& command) {
    const char* group = "Maps";
    command.add_option("--show", m_show, "attention or rollout; default attention")
        ->type_name("TEXT")
        ->group(group);
    command
        .add_option("--query", m_queryText,
                    "The token that looks, as for attend: class, a patch index, or row,column; "
                    "default: class, or the middle patch")
        ->type_name("TEXT")
        ->group(group);
    command.add_option("--layer", m_layer, "From 0; default: the last")
        ->type_name("INT")
        ->group(group);
    command.add_option("--head", m_head, "From 0; default: the mean of the layer's heads")
        ->type_name("INT")
        ->group(group);
    m_rolloutFlags.declare(command, m_options.rollout, group);
    m_styleOptions.declare(command, m_style, group);
  }

  /// What can be said before anything is read.
  void check() {
    if (m_video.empty()) refuseUsage("film", "needs a VIDEO; headlight-cli film --help");
    if (m_output.empty() && m_csv.empty() && !m_json)
      refuseUsage("film", "needs --output FILE, --csv FILE or --json: what to make of the video");
    if (m_output == kStandardOutput)
      refuseUsage("--output", "cannot be standard output; name a file or a folder");
    if (m_show != "attention" && m_show != "rollout")
      refuseUsage("--show", m_show + " is not known; give attention or rollout");
    for (const auto* given : {&m_layer, &m_head})
      if (*given && **given < 0)
        refuseUsage(given == &m_layer ? "--layer" : "--head", "is counted from 0");
    m_rolloutFlags.apply(m_options.rollout);
    if (!m_output.empty()) valueOrThrow(filmFormatOf(m_output));
    m_styleOptions.apply(m_style);
    m_options.showRollout = m_show == "rollout";
    m_options.layer = m_layer.value_or(-1);
    m_options.head = m_head.value_or(-1);
    m_options.style = m_style.style;
    m_options.colorMap = m_style.colorMap;
    m_options.dim = m_style.dim;
    m_options.opacity = m_style.opacity;
    m_options.smooth = m_style.smooth;
  }

  std::unique_ptr<FilmFile> makeFilm(const VideoReader& video) const {
    if (m_output.empty()) return nullptr;
    return valueOrThrow(
        FilmFile::create(m_output, m_seconds.value_or(secondsAFrame(video.info(), m_options))));
  }

  static void tell(const Progress& progress, Terminal& terminal) {
    std::string text = progress.stage + ": " + std::to_string(progress.done);
    if (progress.total > 0)
      text += " of " + std::to_string(progress.total) + ", " +
              formatDuration(progress.secondsRemaining) + " left";
    terminal.setStatus(text);
  }

  void say(const FilmFile* film, const std::vector<FilmedFrame>& frames, Terminal& terminal) const {
    if (film)
      terminal.print(m_output + ": " + std::to_string(frames.size()) + " frames, " +
                     film->coding());
    if (!m_csv.empty() && m_csv != kStandardOutput) terminal.print(m_csv);
  }

  Json resultJson(const InferenceSession& session, const MaskScheme& masks, const VideoInfo& video,
                  const FilmFile* film, const std::vector<FilmedFrame>& frames) const {
    Json shown = Json::array();
    for (const FilmedFrame& frame : frames)
      shown.push_back(
          {{"frame", frame.index}, {"time", frame.seconds}, {"top", topJson(frame.top)}});
    return {{"model", modelJson(session.info(), masks)},
            {"video",
             {{"file", m_video},
              {"kind", video.kind},
              {"width", video.width},
              {"height", video.height},
              {"rate", video.rateKnown ? Json(video.rate) : Json(nullptr)},
              {"frames", video.frames > 0 ? Json(video.frames) : Json(nullptr)}}},
            {"show", m_show},
            {"output", film ? Json(m_output) : Json(nullptr)},
            {"coding", film ? Json(film->coding()) : Json(nullptr)},
            {"results", shown}};
  }

  std::string m_video, m_output, m_csv, m_queryText, m_show = "attention";
  std::optional<int> m_layer, m_head;
  std::optional<double> m_seconds;
  bool m_json = false;
  VideoFilmOptions m_options;
  PictureStyle m_style;
  StyleOptions m_styleOptions;
  RolloutFlags m_rolloutFlags;
  ModelOptions m_model;
};

}  // namespace

std::unique_ptr<Command> makeFilmCommand() {
  return std::make_unique<FilmCommand>();
}

}  // namespace headlight::cli
