// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// Videos in the window: opens files and cameras, plays them (VideoPlayer), keeps frames in the
// gallery, saves films.

#include <QList>
#include <QObject>

#include <functional>

#include "ui/widgets/NoticeBar.h"

class QAction;
class QMainWindow;

namespace headlight {

class Document;
class GalleryModel;
class ModelWorker;
class Opener;
class ImageTabs;
class VideoBar;
class VideoPlayer;
class Workspaces;

/// Whom it speaks with; all of them outlive it.
struct VideoParts {
  Document* document;
  ModelWorker* inference;
  GalleryModel* gallery;
  Opener* opener;
  ImageTabs* tabs;
  Workspaces* workspaces;
  QMainWindow* window;
};

class VideoController : public QObject {
  Q_OBJECT
 public:
  explicit VideoController(const VideoParts& parts);

  VideoPlayer* player() const { return m_player; }
  VideoBar* bar() const { return m_bar; }
  bool isBusy() const;  ///< a frame is on its way
  const QList<QAction*>& fileCommands() const { return m_fileCommands; }
  const QList<QAction*>& viewCommands() const { return m_viewCommands; }

  void chooseVideo();
  /// Asks which, where there are several; says so where there is none.
  void chooseCamera();
  /// The frame that is shown, as an image in the gallery; of a camera into a file that is asked
  /// for.
  void keepFrame();
  void saveFilm();

 Q_SIGNALS:
  void notice(const headlight::Notice& notice);

 private:
  void makeCommands();
  QAction* addView(const char* name, const QString& text, const QString& tip, const char* keys,
                   const char* icon, std::function<void()> run);
  void keepCameraFrame();
  void refresh();

  VideoParts m_parts;
  VideoPlayer* m_player;
  VideoBar* m_bar = nullptr;
  QList<QAction*> m_fileCommands, m_viewCommands;
  QAction *m_play = nullptr, *m_back = nullptr, *m_next = nullptr, *m_keep = nullptr,
          *m_film = nullptr, *m_close = nullptr;
};

}  // namespace headlight
