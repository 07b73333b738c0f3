// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// Offers a published model while the demo is open, since its nine synthetic shapes cannot show what
// attention is. One click downloads and opens it. Answered once, it comes back only from the Model
// menu; a download that failed or was stopped is offered again at the next start.

#include <QList>
#include <QObject>

#include <optional>

#include "core/masks/MaskScheme.h"
#include "core/workbench/hub/ModelFetch.h"
#include "ui/base/BackgroundTask.h"
#include "ui/opening/SuggestedModels.h"

class QAction;
class QMainWindow;

namespace headlight {

class Document;
class FetchJob;
class ModelOfferBar;
class TrainingBridge;

class ModelOffer : public QObject {
  Q_OBJECT
 public:
  /// Puts its line into `window`. `sessionPath` empty: it never comes by itself. All outlive it.
  ModelOffer(Document* document, TrainingBridge* training, const QString& sessionPath,
             QMainWindow* window);

  /// From now on it comes by itself. `demoComes`: the demo is what opens first.
  void begin(bool demoComes);
  /// Applies the visibility: restored window layouts do not know about it.
  void refresh();
  bool isDownloading() const;
  ModelOfferBar* bar() const { return m_bar; }

  /// The line again, for the Model menu.
  QList<QAction*> commands() const { return {m_command}; }

 Q_SIGNALS:
  void openRequested(const QString& folder);
  void othersWanted();
  void tourWanted();

 private:
  void makeCommand();
  void connectBar();
  void show();
  bool demoIsOpen() const;
  bool isUntouched() const;
  void showOffer();
  void findCached();
  void accept();
  void dismiss();
  void download();
  void onEnded(const Result<FetchedModel>& fetched);
  void open();
  void close();

  /// What the window showed when the download was asked for.
  struct Place {
    std::filesystem::path weights;
    MaskScheme masks;
  };
  Place makePlace() const;

  Document* m_document;
  TrainingBridge* m_training;
  bool m_isKept;
  OfferRecord m_record;
  FetchOptions m_options;
  ModelOfferBar* m_bar;
  QAction* m_command = nullptr;
  FetchJob* m_job;
  bool m_due = false;     ///< by itself, while the demo is open
  bool m_forced = false;  ///< asked for
  bool m_demoComes = false;
  bool m_failed = false;               ///< the last download
  std::optional<FetchedModel> m_here;  ///< the chosen model, on this computer
  std::optional<Place> m_askedAt;
  BackgroundTask m_looking;  // last
};

}  // namespace headlight
