// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// Where a sequence model looks: the matrices of one layer, a tile a head, of the picture that is
// chosen for completion or of a text.

#include <QWidget>

#include <memory>
#include <optional>

#include "ui/bridge/SequenceBridge.h"

class QLabel;
class QPlainTextEdit;
class QPushButton;

namespace headlight {

class BackgroundTask;
class CompletionPage;
class MessageLabel;
class ParameterForm;
class PictureTiles;

class SequenceMapsPage : public QWidget {
  Q_OBJECT
 public:
  /// `pictures`: whose picture is looked at; both must outlive the page.
  SequenceMapsPage(SequenceBridge* bridge, CompletionPage* pictures, QWidget* parent = nullptr);

  void look();
  /// The layer, if it is right.
  std::optional<SequenceLookSettings> settings() const;
  const std::shared_ptr<const SequenceMaps>& maps() const { return m_maps; }

 private:
  QWidget* makeControls();
  QWidget* makeText(QWidget* parent);
  QWidget* makeButtons(QWidget* parent);
  void connectBridge();
  void onModelChanged();
  void onLooked(const std::shared_ptr<const SequenceMaps>& maps);
  void forget();
  bool ofPictures() const;
  bool hasSequence() const;  ///< that can be looked at
  void refreshControls();
  void choosePng();
  void savePng(const QString& path);

  SequenceBridge* m_bridge;
  CompletionPage* m_pictures;
  BackgroundTask* m_writer;
  ParameterForm* m_form = nullptr;
  PictureTiles* m_tiles = nullptr;
  QLabel *m_picture = nullptr, *m_meaning = nullptr;
  QWidget* m_textGroup = nullptr;
  QPlainTextEdit* m_text = nullptr;
  QPushButton *m_look = nullptr, *m_save = nullptr;
  MessageLabel* m_message = nullptr;
  std::shared_ptr<const SequenceMaps> m_maps;  ///< that are shown; null: none
};

}  // namespace headlight
