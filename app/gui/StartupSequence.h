// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// Brings the window into the state that was asked for, step by step, never waiting; then takes its
// image, if one was asked for.

#include <QElapsedTimer>
#include <QObject>
#include <QTimer>

#include <functional>

#include "app/gui/StartState.h"

namespace headlight {

class MainWindow;

// As headlight-cli's (see its --help).
inline constexpr int kFailedExit = 1, kUsageExit = 2, kInputExit = 3, kSystemExit = 5;

/// One line on standard error, without what a terminal would obey.
void sayOnStandardError(const QString& text);

struct ScreenshotRequest {
  QString path;  ///< empty: none
  int timeoutSeconds = 300;
};

class StartupSequence : public QObject {
  Q_OBJECT
 public:
  StartupSequence(MainWindow* window, StartState state, QStringList files,
                  ScreenshotRequest screenshot);
  void begin();

 Q_SIGNALS:
  void done(int exitCode);  ///< the screenshot is written, or could not be; never without one

 private:
  void openModel();
  void onModel();
  void applyMasks();
  void applyEdits();
  void applyView();
  void train();
  void trigger(const QString& id);
  void triggerActions();
  void showExtras();
  void takeImage();
  /// Goes on with `next` when the window has been idle for a while.
  void whenIdle(const char* waitingFor, std::function<void()> next);
  /// Goes on with `next` when `ready` has said so at `polls` polls in a row.
  void wait(const char* waitingFor, std::function<bool()> ready, int polls,
            std::function<void()> next);
  bool isModelOpen() const;
  void poll();
  void fail(int exitCode);
  void complain(const QString& text, int exitCode = kFailedExit);

  MainWindow* m_window;
  StartState m_state;
  QStringList m_files;
  ScreenshotRequest m_screenshot;
  QTimer m_timer;
  QElapsedTimer m_elapsed;
  int m_idlePolls = 0;
  const char* m_waitingFor = "";
  std::function<bool()> m_ready;
  int m_polls = 0;
  std::function<void()> m_next;
  std::size_t m_edit = 0;
  bool m_trained = false, m_seen = false;
  int m_exitCode = 0;  ///< of the first complaint
};

}  // namespace headlight
