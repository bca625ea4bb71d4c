// The official MCAP library reads what runtime/record wrote, and the other way round.
// Run by cmake/run_node_tests.cmake in a folder with node_modules; KAGAMI_TOOL is the C++ program.
import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, test } from "node:test";

import rosmsg from "@foxglove/rosmsg";
import rosmsg2 from "@foxglove/rosmsg2-serialization";
import foxglove from "@foxglove/schemas/jsonschema.js";
import zstd from "@foxglove/wasm-zstd";
import { McapIndexedReader, McapStreamReader, McapWriter, TempBuffer } from "@mcap/core";
import { loadDecompressHandlers } from "@mcap/support";

const folder = mkdtempSync(join(tmpdir(), "kagami_official_"));
after(() => rmSync(folder, { recursive: true, force: true }));
const at = (name) => join(folder, name);
const tool = (...words) => execFileSync(process.env.KAGAMI_TOOL, words, { encoding: "utf8", maxBuffer: 1 << 28 });
const dump = (path) => JSON.parse(tool("dump", path));
const text = (bytes) => new TextDecoder().decode(bytes);
const hex = (bytes) => Buffer.from(bytes).toString("hex");

async function open(bytes) {
  return await McapIndexedReader.Initialize({
    readable: new TempBuffer(bytes),
    decompressHandlers: await loadDecompressHandlers(),
  });
}

/** All that the official indexed reader finds, in the form of the tool's dump. */
async function officialDump(bytes) {
  const reader = await open(bytes);
  const out = { channels: {}, messages: [], attachments: [], metadata: [] };
  for (const c of reader.channelsById.values()) {
    const s = reader.schemasById.get(c.schemaId);
    out.channels[c.topic] = {
      encoding: c.messageEncoding,
      metadata: Object.fromEntries(c.metadata),
      schema: s?.name ?? "",
      schemaEncoding: s?.encoding ?? "",
      schemaText: s ? text(s.data) : "",
    };
  }
  for await (const m of reader.readMessages()) {
    out.messages.push([reader.channelsById.get(m.channelId).topic, m.sequence,
      String(m.logTime), String(m.publishTime), hex(m.data)]);
  }
  for await (const a of reader.readAttachments()) {
    out.attachments.push([a.name, a.mediaType, String(a.logTime), String(a.createTime), text(a.data)]);
  }
  for await (const m of reader.readMetadata()) out.metadata.push([m.name, Object.fromEntries(m.metadata)]);
  return { reader, out };
}

const contents = ({ channels, messages, attachments, metadata }) => ({ channels, messages, attachments, metadata });

/** Reads front to back, with the CRCs of chunks, attachments and records checked. */
async function stream(bytes) {
  const reader = new McapStreamReader({ decompressHandlers: await loadDecompressHandlers(), validateCrcs: true });
  reader.append(bytes);
  const counts = {};
  for (let record; (record = reader.nextRecord()); ) counts[record.type] = (counts[record.type] ?? 0) + 1;
  assert.ok(reader.done());
  return counts;
}

for (const level of ["0", "1"]) {
  test(`the official reader reads our record, zstd level ${level}`, async () => {
    const path = at(`ours${level}.mcap`);
    tool("write", path, "--ticks", "500", "--level", level);
    const bytes = readFileSync(path);
    const { reader, out } = await officialDump(bytes);

    assert.equal(out.messages.length, 500 + 50 + 6);
    assert.deepEqual(out, contents(dump(path)));
    assert.equal(reader.header.library, "kagami test");
    assert.equal(reader.statistics.messageCount, 556n);
    assert.equal(reader.statistics.chunkCount, 11);
    assert.equal(reader.statistics.attachmentCount, 1);
    assert.equal(reader.statistics.metadataCount, 2);
    assert.equal(reader.statistics.channelMessageCounts.get(0), 500n);
    assert.ok(reader.chunkIndexes.every((c) => c.compression === (level === "0" ? "" : "zstd")));
    assert.ok(reader.chunkIndexes.every((c) => c.messageEndTime - c.messageStartTime < 50_000_000n));
    // every group of the summary is found by its offset
    assert.deepEqual([...reader.summaryOffsetsByOpcode.keys()].sort((a, b) => a - b), [3, 4, 8, 10, 11, 13]);
    assert.ok(reader.dataSectionCrc > 0 && reader.footer.summaryCrc > 0);

    // by topic and time, through our message indexes
    const found = [];
    const range = { topics: ["/events"], startTime: 1_100_000_000n, endTime: 1_200_000_000n };
    for await (const m of reader.readMessages(range)) found.push(Number(m.logTime - 1_100_000_000n) / 1e6);
    assert.deepEqual(found, [0, 10, 20, 30, 40, 50, 60, 70, 80, 90, 100]);

    const counts = await stream(bytes);
    assert.equal(counts.Message, 556);
    assert.equal(counts.DataEnd, 1);
    assert.equal(counts.ChunkIndex, 11);
  });
}

test("our CRCs are really there: one flipped bit is found by the official reader", async () => {
  const path = at("flip.mcap");
  tool("write", path, "--ticks", "60", "--level", "0");
  const bytes = readFileSync(path);
  const { reader } = await officialDump(bytes);
  const flipped = (offset) => {
    const copy = Buffer.from(bytes);
    copy[Number(offset)] ^= 1;
    return copy;
  };
  const chunk = reader.chunkIndexes[0];
  await assert.rejects(async () => await officialDump(flipped(chunk.chunkStartOffset + chunk.chunkLength - 1n)),
    /Incorrect chunk CRC/);
  await assert.rejects(async () => await officialDump(flipped(reader.dataEndOffset + 40n)), /summary CRC/);
  const attachment = reader.attachmentIndexes[0];
  await assert.rejects(async () => await officialDump(flipped(attachment.offset + attachment.length - 8n)), /CRC/);
});

test("the official reader reads what we recovered from a cut record", async () => {
  const whole = at("whole.mcap");
  tool("write", whole, "--ticks", "500");
  const bytes = readFileSync(whole);
  for (const share of [0.3, 0.55, 0.9]) {
    const cut = at("cut.mcap");
    const copy = at("copy.mcap");
    writeFileSync(cut, bytes.subarray(0, Math.floor(bytes.length * share)));
    await assert.rejects(open(readFileSync(cut)));
    const messages = Number(tool("recover", cut, copy));
    const { reader, out } = await officialDump(readFileSync(copy));
    assert.ok(messages > 50);
    assert.equal(reader.statistics.messageCount, BigInt(messages));
    assert.deepEqual(out.messages, dump(whole).messages.slice(0, messages));
    assert.equal(out.metadata.at(-1)[0], "kagami.recovered");
    assert.equal((await stream(readFileSync(copy))).Message, messages);
  }
});

/** A file by the official writer: two channels, two attachments, times out of order. */
async function officialFile(options) {
  const buffer = new TempBuffer();
  const writer = new McapWriter({ writable: buffer, chunkSize: 2000, ...options });
  await writer.start({ profile: "", library: "official" });
  const schemaId = await writer.registerSchema({
    name: "s", encoding: "jsonschema", data: new TextEncoder().encode("{}") });
  const channels = [];
  for (const topic of ["/a", "/b"]) {
    channels.push(await writer.registerChannel({
      topic, schemaId: topic === "/a" ? schemaId : 0, messageEncoding: "json", metadata: new Map([["k", topic]]) }));
  }
  for (let i = 0; i < 300; i++) {
    await writer.addMessage({
      channelId: channels[i % 2], sequence: i, publishTime: BigInt(i),
      logTime: BigInt(1000 + i * 10 + ((i * 37) % 50)), data: new TextEncoder().encode(`{"i":${i}}`.repeat(1 + (i % 5))) });
  }
  for (const name of ["one", "two"]) {
    await writer.addAttachment({ name, mediaType: "text/plain", logTime: 5n, createTime: 6n,
      data: new TextEncoder().encode(`text of ${name}`) });
    await writer.addMetadata({ name, metadata: new Map([["key", name]]) });
  }
  await writer.end();
  return buffer.get();
}

await zstd.isLoaded;
const compressChunk = (data) => ({ compression: "zstd", compressedData: zstd.compress(data, 3) });
const variants = {
  "zstd chunks": { compressChunk },
  "plain chunks": {},
  "definitions only in the chunks": { compressChunk, repeatSchemas: false, repeatChannels: false },
  "no indexes at all": {
    compressChunk, useChunkIndex: false, useMessageIndex: false, useAttachmentIndex: false, useMetadataIndex: false },
  "no statistics, no offsets": { useStatistics: false, useSummaryOffsets: false },
  "no chunks": { useChunks: false },
};
for (const [name, options] of Object.entries(variants)) {
  test(`we read the official writer's file: ${name}`, async () => {
    const path = at("official.mcap");
    writeFileSync(path, await officialFile(options));
    const ours = dump(path);
    assert.equal(ours.library.includes("official"), true);
    // the oracle is the official reader's view of the same messages, fully indexed
    const { out } = await officialDump(await officialFile({ compressChunk }));
    assert.deepEqual(contents(ours), out);
    assert.equal(ours.count, 300);
  });
}

test("our schemas have the names, types and required fields of @foxglove/schemas", () => {
  const bare = (o) => {
    if (Array.isArray(o)) return o.map(bare);
    if (typeof o !== "object" || o == undefined) return o;
    return Object.fromEntries(Object.entries(o)
      .filter(([key, value]) => !(["description", "$comment"].includes(key) && typeof value === "string"))
      .map(([key, value]) => [key, bare(value)]));
  };
  const path = at("schemas.mcap");
  tool("write", path);
  const { channels } = dump(path);
  const pairs = [["/joint_states/measured", "JointStates"], ["/log", "Log"], ["/tf", "FrameTransforms"]];
  for (const [topic, name] of pairs) {
    assert.equal(channels[topic].schema, `foxglove.${name}`);
    assert.equal(channels[topic].schemaEncoding, "jsonschema");
    assert.deepEqual(bare(JSON.parse(channels[topic].schemaText)), bare(foxglove[name]));
  }
});

test("our JSON messages are JSON, our CDR is read by the official ROS 2 reader", async () => {
  const path = at("messages.mcap");
  tool("write", path);
  const messages = dump(path).messages;
  const of = (topic) => messages.filter((m) => m[0] === topic).map((m) => Buffer.from(m[4], "hex"));
  assert.deepEqual(JSON.parse(of("/joint_states/measured")[0]), {
    timestamp: { sec: 6, nsec: 0 }, joints: [{ name: "left_knee", position: 0.25 }, { name: 'neck "1"' }] });
  assert.equal(JSON.parse(of("/log")[0]).message, "line\n\uFFFD");
  assert.equal(JSON.parse(of("/tf")[0]).transforms.length, 2);

  const schema = dump(path).channels["/row"].schemaText;
  const reader = new rosmsg2.MessageReader(rosmsg.parse(schema, { ros2: true }));
  of("/row").forEach((bytes, i) => {
    const row = reader.readMessage(bytes);
    assert.equal(row.tick, BigInt(i));
    assert.equal(row.fresh, i % 2 === 0);
    assert.deepEqual([...row.q], [0.1, -0, 1e300]);
    assert.deepEqual([...row.raw], [1, 2, 3]);
    assert.equal(row.empty.length, 0);
    assert.equal(row.note, "鏡");
    assert.equal(row.last, -7);
  });
});
