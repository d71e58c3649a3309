#!/usr/bin/python3
# SPDX-License-Identifier: MIT
"""usage: browser.py [--dark] WIDTHxHEIGHT PAGE <STEPS

Opens the file PAGE in headless Chromium and takes STEPS, one a line:

  eval EXPRESSION         print its value as JSON, which may be a promise's
  click SELECTOR          with the mouse, in the middle of the first such element
  dblclick SELECTOR       likewise
  drag SELECTOR FROM TO   with the mouse, from a part of its width to another: 0 to 1
  wheel SELECTOR AMOUNT   in its middle
  hover SELECTOR          likewise
  key KEY                 of the keyboard: Enter, ArrowDown, a
  type TEXT               where the focus is
  pixel SELECTOR X Y      print the colour there, X and Y being parts of its width and height
  colors                  print how many colours all that is in view has
  screenshot FILE         of all of the page

Ends with 1 if a step fails, if the page says anything on its console or has an error, or if
anything but PAGE is asked for; with 77 if there is no Chromium.
"""
import base64
import json
import os
import shutil
import struct
import subprocess
import sys
import tempfile
import zlib

NAMES = ("chromium-headless-shell", "chromium", "chromium-browser", "google-chrome")
SECONDS = 60
KEYS = {"Enter": "\r", "Escape": "", "Tab": "\t"}


class Browser:
    """A browser that is spoken to by its pipe, and one page in it"""

    def __init__(self, program, folder, size, url, dark):
        to_read, self.to = os.pipe()
        self.answers, from_write = os.pipe()
        width, height = size.split("x")
        command = [program, "--headless", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage",
                   "--remote-debugging-pipe", "--user-data-dir=" + folder, "--no-first-run",
                   "--disable-background-networking", "--force-device-scale-factor=1",
                   "--hide-scrollbars", "--window-size=%s,%s" % (width, height), "about:blank"]
        self.process = subprocess.Popen(
            ["timeout", "-k", "5", str(2 * SECONDS), "sh", "-c", 'exec "$@" 3<&%d 4>&%d' % (to_read, from_write), "sh"] + command,
            pass_fds=(to_read, from_write), stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL)
        os.close(to_read)
        os.close(from_write)
        self.buffer = b""
        self.number = 0
        self.session = None
        self.url = url
        self.complaints = []
        self.loaded = False
        target = self.call("Target.createTarget", url="about:blank")["targetId"]
        self.session = self.call("Target.attachToTarget", targetId=target, flatten=True)["sessionId"]
        for domain in ("Page", "Runtime", "Log", "Network"):
            self.call(domain + ".enable")
        self.call("Emulation.setDeviceMetricsOverride", width=int(width), height=int(height),
                  deviceScaleFactor=1, mobile=False)
        self.call("Emulation.setEmulatedMedia",
                  features=[{"name": "prefers-color-scheme", "value": "dark" if dark else "light"}])
        self.call("Page.navigate", url=url)
        while not self.loaded:
            self.receive()

    def receive(self):
        """The next message, which is taken notice of"""
        while b"\0" not in self.buffer:
            more = os.read(self.answers, 1 << 20)
            if not more:
                raise RuntimeError("the browser ended")
            self.buffer += more
        text, self.buffer = self.buffer.split(b"\0", 1)
        message = json.loads(text)
        method, params = message.get("method", ""), message.get("params", {})
        if method == "Page.loadEventFired":
            self.loaded = True
        elif method == "Runtime.consoleAPICalled":
            self.complaints.append("console: %s" % json.dumps(params["args"]))
        elif method == "Runtime.exceptionThrown":
            self.complaints.append("exception: %s" % json.dumps(params["exceptionDetails"]))
        elif method == "Log.entryAdded":
            self.complaints.append("log: %s" % json.dumps(params["entry"]))
        elif method == "Network.requestWillBeSent" and params["request"]["url"] != self.url:
            self.complaints.append("request: %s" % params["request"]["url"][:200])
        elif method == "Page.javascriptDialogOpening":
            self.complaints.append("dialog: %s" % params["message"])
        return message

    def call(self, method, **params):
        self.number += 1
        message = {"id": self.number, "method": method, "params": params}
        if self.session:
            message["sessionId"] = self.session
        os.write(self.to, json.dumps(message).encode() + b"\0")
        while True:
            answer = self.receive()
            if answer.get("id") == self.number:
                if "error" in answer:
                    raise RuntimeError("%s: %s" % (method, answer["error"]["message"]))
                return answer["result"]

    def evaluate(self, expression):
        answer = self.call("Runtime.evaluate", expression=expression, returnByValue=True, awaitPromise=True)
        if "exceptionDetails" in answer:
            raise RuntimeError("%s: %s" % (expression, answer["exceptionDetails"].get("exception", {}).get("description")))
        return answer["result"].get("value")

    def place(self, selector, x=0.5, y=0.5):
        """Where a part of an element is in the window, after it was scrolled there"""
        box = self.evaluate("""(() => {
            const e = document.querySelector(%s);
            if (!e) return null;
            e.scrollIntoView({ block: "nearest" });
            const b = e.getBoundingClientRect();
            return [b.x, b.y, b.width, b.height];
        })()""" % json.dumps(selector))
        if not box:
            raise RuntimeError("nothing is %s" % selector)
        return box[0] + x * box[2], box[1] + y * box[3]

    def mouse(self, kind, place, **more):
        self.call("Input.dispatchMouseEvent", type=kind, x=place[0], y=place[1], **more)

    def click(self, place, count=1):
        self.mouse("mouseMoved", place)
        for n in range(1, count + 1):
            for kind in ("mousePressed", "mouseReleased"):
                self.mouse(kind, place, button="left", clickCount=n)

    def key(self, key):
        text = KEYS.get(key, key if len(key) == 1 else "")
        self.call("Input.dispatchKeyEvent", type="keyDown", key=key, **({"text": text} if text else {}))
        self.call("Input.dispatchKeyEvent", type="keyUp", key=key)

    def picture(self, **params):
        self.evaluate("new Promise(done => requestAnimationFrame(() => requestAnimationFrame(done)))")
        return base64.b64decode(self.call("Page.captureScreenshot", format="png", **params)["data"])

    def stop(self):
        try:
            self.session = None
            self.call("Browser.close")
        except (OSError, RuntimeError):
            pass
        self.process.wait()


def png_rows(png):
    """[[(r, g, b)]] of a PNG of 8 bits, as browsers make them"""
    at, packed, width, size = 8, b"", 0, 3
    while at < len(png):
        length, kind = struct.unpack(">I4s", png[at:at + 8])
        body = png[at + 8:at + 8 + length]
        if kind == b"IHDR":
            width, _, bits, color = struct.unpack(">IIBB", body[:10])
            assert bits == 8 and color in (2, 6), "a PNG of another kind"
            size = 3 if color == 2 else 4
        elif kind == b"IDAT":
            packed += body
        at += 12 + length
    data, rows, before = zlib.decompress(packed), [], bytearray(width * size)
    for start in range(0, len(data), width * size + 1):
        how, row = data[start], bytearray(data[start + 1:start + 1 + width * size])
        for i in range(len(row)):
            left, up = row[i - size] if i >= size else 0, before[i]
            corner = before[i - size] if i >= size else 0
            if how == 1:
                row[i] = row[i] + left & 255
            elif how == 2:
                row[i] = row[i] + up & 255
            elif how == 3:
                row[i] = row[i] + (left + up) // 2 & 255
            elif how == 4:
                guess = left + up - corner
                row[i] = row[i] + min((left, up, corner), key=lambda v: abs(v - guess)) & 255
        rows.append([tuple(row[i:i + 3]) for i in range(0, len(row), size)])
        before = row
    return rows


def take_step(browser, line):
    step, _, rest = line.partition(" ")
    if step == "eval":
        print(json.dumps(browser.evaluate(rest), ensure_ascii=False, separators=(",", ":")))
    elif step == "click":
        browser.click(browser.place(rest))
    elif step == "dblclick":
        browser.click(browser.place(rest), 2)
    elif step == "hover":
        browser.mouse("mouseMoved", browser.place(rest))
    elif step == "drag":
        selector, begin, end = rest.rsplit(" ", 2)
        begin, end = browser.place(selector, float(begin)), browser.place(selector, float(end))
        browser.mouse("mouseMoved", begin)
        browser.mouse("mousePressed", begin, button="left", clickCount=1)
        browser.mouse("mouseMoved", end, button="left", buttons=1)
        browser.mouse("mouseReleased", end, button="left", clickCount=1)
    elif step == "wheel":
        selector, amount = rest.rsplit(" ", 1)
        browser.mouse("mouseWheel", browser.place(selector), deltaX=0, deltaY=float(amount))
    elif step == "key":
        browser.key(rest)
    elif step == "type":
        browser.call("Input.insertText", text=rest)
    elif step == "pixel":
        selector, x, y = rest.rsplit(" ", 2)
        place = browser.place(selector, float(x), float(y))
        print("%d %d %d" % png_rows(browser.picture())[int(place[1])][int(place[0])])
    elif step == "colors":
        print(len({pixel for row in png_rows(browser.picture()) for pixel in row}))
    elif step == "screenshot":
        with open(rest, "wb") as f:
            f.write(browser.picture(captureBeyondViewport=True))
    else:
        raise RuntimeError("no such step: %s" % line)


def main():
    dark = "--dark" in sys.argv
    words = [a for a in sys.argv[1:] if a != "--dark"]
    if len(words) != 2:
        sys.exit(__doc__.strip())
    program = next(filter(None, map(shutil.which, NAMES)), None)
    if not program:
        print("none of %s is installed" % ", ".join(NAMES))
        return 77
    folder = tempfile.mkdtemp(prefix="vsamp-browser-")
    browser, status = None, 0
    try:
        browser = Browser(program, folder, words[0], "file://" + os.path.abspath(words[1]), dark)
        for line in sys.stdin:
            if line.strip():
                take_step(browser, line.strip())
        browser.evaluate("0")  # what is still to come has come then
    except (RuntimeError, OSError) as e:
        print("browser.py: %s" % e)
        status = 1
    finally:
        if browser:
            browser.stop()
        shutil.rmtree(folder, ignore_errors=True)
    for complaint in browser.complaints if browser else []:
        print("browser.py: %s" % complaint)
        status = 1
    return status


if __name__ == "__main__":
    sys.exit(main())
