// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// Completing the lower part of a picture with a sequence model: the picture as the model sees it,
// what stays of it, and what was drawn below.

#include <QWidget>

#include <memory>
#include <optional>

#include "ui/bridge/SequenceBridge.h"
#include "ui/widgets/MessageLabel.h"

class QLabel;
class QPushButton;

namespace headlight {

class BackgroundTask;
class Document;
class ParameterForm;
class PictureTiles;
class ProgressLine;

class CompletionPage : public QWidget {
  Q_OBJECT
 public:
  /// `document`: whose picture is offered; both must outlive the page.
  CompletionPage(SequenceBridge* bridge, Document* document, QWidget* parent = nullptr);

  /// Refused, with a message, while something is drawn or measured.
  void setPicture(const Image& picture, const QString& name);
  void openPicture(const QString& path);
  void complete();
  /// The settings, if they are right.
  std::optional<CompletionSettings> settings() const;
  const std::shared_ptr<const CompletedPicture>& completed() const { return m_completed; }
  const Image& picture() const { return m_picture; }  ///< that was chosen; empty: none
  const QString& pictureName() const { return m_pictureName; }

 Q_SIGNALS:
  void pictureChanged();
  /// About a picture that came without a model of pictures, while this page is not to be seen.
  void saidUnseen(const QString& text, headlight::MessageLabel::Tone tone);

 private:
  static constexpr int kFormWidth = 300;

  // CompletionPageParts.cpp
  QWidget* makeControls();
  QWidget* makePictureRow(QWidget* parent);
  QWidget* makeButtonRow(QWidget* parent);
  void choosePicture();
  void choosePng();
  void savePng(const QString& path, const std::shared_ptr<const CompletedPicture>& picture);

  void connectBridge();
  bool hasModel() const;  ///< one of pictures
  void onModelChanged();
  void onJobChanged();
  void onCompleted(const std::shared_ptr<const CompletedPicture>& picture);
  void takePictureOfWindow();
  void say(const QString& text, MessageLabel::Tone tone);
  void showTiles();
  void refreshControls();

  SequenceBridge* m_bridge;
  Document* m_document;
  BackgroundTask* m_reader;
  BackgroundTask* m_writer;
  ParameterForm* m_form = nullptr;
  PictureTiles* m_tiles = nullptr;
  QLabel* m_name = nullptr;
  QPushButton *m_choose = nullptr, *m_ofWindow = nullptr;
  QPushButton *m_complete = nullptr, *m_cancel = nullptr, *m_save = nullptr;
  ProgressLine* m_progress = nullptr;
  MessageLabel* m_message = nullptr;

  Image m_picture;
  QString m_pictureName;
  Image m_view;  ///< of m_picture through the model; empty until it is there
  std::shared_ptr<const CompletedPicture> m_completed;        ///< of m_view; null: none yet
  double m_keptFraction = CompletionSettings().keptFraction;  ///< as it was right last
  bool m_refused = false;                                     ///< another picture, by what goes on
};

}  // namespace headlight
