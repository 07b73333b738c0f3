// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// Attention maps of a sequence model: the matrices of one layer, one tile per head, for the image
// chosen for completion or for a text.

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
class ImageTiles;

class SequenceMapsPage : public QWidget {
  Q_OBJECT
 public:
  /// `images`: its image is the input; both must outlive the page.
  SequenceMapsPage(SequenceBridge* bridge, CompletionPage* images, QWidget* parent = nullptr);

  void infer();
  /// The layer, if valid.
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
  bool ofImages() const;
  bool hasSequence() const;  ///< an input to run the model on
  void refreshControls();
  void choosePng();
  void savePng(const QString& path);

  SequenceBridge* m_bridge;
  CompletionPage* m_images;
  BackgroundTask* m_writer;
  ParameterForm* m_form = nullptr;
  ImageTiles* m_tiles = nullptr;
  QLabel *m_image = nullptr, *m_meaning = nullptr;
  QWidget* m_textGroup = nullptr;
  QPlainTextEdit* m_text = nullptr;
  QPushButton *m_show = nullptr, *m_save = nullptr;
  MessageLabel* m_message = nullptr;
  std::shared_ptr<const SequenceMaps> m_maps;  ///< shown; null: none
};

}  // namespace headlight
