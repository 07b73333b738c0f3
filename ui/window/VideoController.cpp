// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/window/VideoController.h"

#include <QDir>
#include <QMainWindow>
#include <QMenu>

#include "core/base/files/Files.h"
#include "core/workbench/session/Images.h"
#include "ui/base/Actions.h"
#include "ui/base/Icons.h"
#include "ui/bridge/GalleryModel.h"
#include "ui/bridge/ImageBridge.h"
#include "ui/bridge/ModelWorker.h"
#include "ui/bridge/VideoPlayer.h"
#include "ui/canvas/VideoBar.h"
#include "ui/document/Document.h"
#include "ui/document/Folders.h"
#include "ui/figures/VideoFilmDialog.h"
#include "ui/opening/Opener.h"
#include "ui/widgets/Dialogs.h"
#include "ui/workspace/ImageTabs.h"
#include "ui/workspace/Workspaces.h"

namespace headlight {

VideoController::VideoController(const VideoParts& parts)
    : QObject(parts.window),
      m_parts(parts),
      m_player(new VideoPlayer(parts.document, parts.inference, this)) {
  makeCommands();
  m_bar =
      new VideoBar(m_player, {{m_play, m_back, m_next}, {m_keep, m_film, m_close}}, parts.window);
  parts.window->addToolBar(Qt::BottomToolBarArea, m_bar);
  m_bar->showWhereNeeded();
  connect(parts.workspaces, &Workspaces::changed, m_bar, &VideoBar::showWhereNeeded);
  connect(m_player, &VideoPlayer::changed, this, &VideoController::refresh);
  connect(m_player, &VideoPlayer::opened, this, [this] { m_parts.tabs->focusPage(); });
  connect(m_player, &VideoPlayer::failed, this, [this](const QString& title, const QString& text) {
    Q_EMIT notice({Notice::Level::Error, title, text, {}, {}});
  });
  connect(parts.opener, &Opener::found, this, [this](InputKind kind, const QString& path) {
    if (kind == InputKind::Video) m_player->open(path);
  });
  connect(&parts.document->inputs(), &InferenceInputs::modelChanged, this,
          &VideoController::refresh);
  refresh();
}

bool VideoController::isBusy() const {
  return m_player->isBusy();
}

QAction* VideoController::addView(const char* name, const QString& text, const QString& tip,
                                  const char* keys, const char* icon, std::function<void()> run) {
  auto* command = makeCommand(this,
                              {QStringLiteral("view.video.") + QLatin1String(name), text, tip,
                               QLatin1String(keys), QLatin1String(icon)},
                              std::move(run));
  m_viewCommands << command;
  return command;
}

void VideoController::makeCommands() {
  m_fileCommands << makeCommand(
      this,
      {"file.openVideo", tr("Open &video…"), tr("Play a video through the model, with its maps"),
       "Ctrl+Shift+V", "play"},
      [this] { chooseVideo(); });
  m_fileCommands << makeCommand(this,
                                {"file.openCamera",
                                 tr("Open c&amera…"),
                                 tr("Run the model on the images of a camera and show the maps"),
                                 "Ctrl+Shift+Y",
                                 {}},
                                [this] { chooseCamera(); });
  m_play =
      addView("play", tr("Video: play"), tr("Play the video, or pause at the frame shown"), "P",
              "play", [this] { m_player->isPlaying() ? m_player->pause() : m_player->play(); });
  m_back = addView("back", tr("Video: previous frame"), tr("Pause and show the previous frame"),
                   "B", "back", [this] { m_player->step(-1); });
  m_next = addView("next", tr("Video: next frame"), tr("Pause and show the next frame"), "N",
                   "forward", [this] { m_player->step(1); });
  m_keep = addView("keep", tr("Video: keep frame"), tr("Add the current frame to the gallery"), "K",
                   "add", [this] { keepFrame(); });
  m_film = addView(
      "film", tr("Video: save film…"),
      tr("Save the video with its maps as GIF, AVI, MP4 or images, or its predictions as a table"),
      "Ctrl+Shift+F", "save", [this] { saveFilm(); });
  m_close = addView("close", tr("Video: close"), tr("Close the video; the image stays"),
                    "Ctrl+Shift+W", "close", [this] { m_player->close(); });
  for (QAction* action : m_viewCommands)
    action->setStatusTip(action->toolTip());
}

void VideoController::refresh() {
  const bool open = m_player->isOpen(), frame = open && m_player->frame() >= 0;
  const bool file = open && !m_player->file().isEmpty();
  const bool playing = m_player->isPlaying();
  m_play->setEnabled(open);
  m_play->setIcon(lineIcon(playing ? QStringLiteral("pause") : QStringLiteral("play")));
  m_back->setEnabled(frame && file);
  m_next->setEnabled(frame && file);
  m_keep->setEnabled(frame);
  m_film->setEnabled(frame && file && m_parts.document->inputs().canCompute());
  m_close->setEnabled(open);
}

void VideoController::chooseVideo() {
  FileQuestion question;
  question.mode = FileQuestion::Mode::OpenFile;
  question.title = tr("Open a video");
  question.start = imageFolder(*m_parts.document);
  question.filter =
      tr("Videos (*.avi *.mp4 *.m4v *.mov *.mkv *.webm *.ogv *.ogg *.mpg *.mpeg *.ts "
         "*.flv *.wmv *.y4m *.gif);;All files (*)");
  askForPath(m_parts.window, question, [this](const QString& path) { m_player->open(path); });
}

void VideoController::chooseCamera() {
  const std::vector<CameraInfo> found = cameras();
  if (found.empty())
    return Q_EMIT notice({Notice::Level::Info,
                          tr("There is no camera"),
                          tr("No camera is available to programs (/dev/video0 and so on). Connect "
                             "one, and choose File → Open camera again."),
                          {},
                          {}});
  if (found.size() == 1) return m_player->openCamera(found.front().number);
  auto* menu = new QMenu(m_parts.window);
  menu->setAttribute(Qt::WA_DeleteOnClose);
  for (const CameraInfo& camera : found)
    menu->addAction(tr("%1 (camera %2)")
                        .arg(QString::fromStdString(camera.name).toHtmlEscaped())
                        .arg(camera.number),
                    this, [this, number = camera.number] { m_player->openCamera(number); });
  menu->popup(m_parts.window->mapToGlobal(QPoint(40, 60)));
}

void VideoController::keepFrame() {
  if (m_player->frame() < 0) return;
  const QString address = m_player->address();
  if (address.isEmpty()) return keepCameraFrame();
  m_parts.gallery->addFiles({address});
  Q_EMIT m_parts.document->message(tr("%1 is in the gallery").arg(ImageBridge::nameOf(address)));
}

/// A camera cannot be asked for it again.
void VideoController::keepCameraFrame() {
  m_player->pause();
  const Image image = m_parts.document->inputs().image();
  askWhereToSave(m_parts.window, tr("Save the frame"),
                 QDir(imageFolder(*m_parts.document)).filePath(QStringLiteral("camera.png")),
                 tr("PNG (*.png)"), [this, image](const QString& path) {
                   const auto png = encodePng(image, {{"Software", "Headlight"}});
                   const auto written = png ? writeFileAtomically(path.toStdString(), *png)
                                            : Result<void>(png.error());
                   if (written) return m_parts.gallery->addFiles({path});
                   Q_EMIT notice({Notice::Level::Error,
                                  tr("The frame was not saved"),
                                  QString::fromStdString(written.error().text()),
                                  {},
                                  {}});
                 });
}

void VideoController::saveFilm() {
  if (m_player->file().isEmpty() || !m_parts.document->inputs().canCompute()) return;
  m_player->pause();
  VideoFilmRequest request;
  request.file = m_player->file();
  request.video = m_player->info();
  request.model = m_parts.document->inputs().model();
  request.masks = m_parts.document->inputs().masks();
  request.view = m_parts.document->view().steady();
  request.rollout = m_parts.tabs->page() == QStringLiteral("rollout");
  // One session: it is asked for when the film begins, in the dialog's thread.
  request.session = m_parts.inference->session();
  auto* dialog = new VideoFilmDialog(request, m_parts.window);
  connect(dialog, &VideoFilmDialog::saved, this, [this](const QString& path) {
    Q_EMIT m_parts.document->message(tr("Saved %1").arg(QDir::toNativeSeparators(path)));
  });
  dialogs().beside(dialog);
}

}  // namespace headlight
