// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// Texts to read: about the model, the messages so far, about the program. Not modal.

class QWidget;

namespace headlight {

class Document;
class MessageLog;

void showModelInfo(const Document& document, QWidget* parent);
void showMessages(MessageLog* log, QWidget* parent);
void showAbout(QWidget* parent);

}  // namespace headlight
